import { expect, it } from 'vitest';
import { differenceLines, requestDifferences } from './request-difference.ts';

const asked = (system: string, ...users: readonly string[]) => ({
  model: 'm',
  params: { temperature: 1 },
  messages: [{ role: 'system', content: system }, ...users.map((content) => ({ role: 'user', content }))],
});

it('shows the messages that changed by their roles, and nothing else', () => {
  const differences = requestDifferences(asked('Write short articles.', 'Go.'), asked('Write long articles.', 'Go.'));
  expect(differenceLines(differences)).toEqual(['system  - Write short articles.', '        + Write long articles.']);
});

it('shows the changed lines of long texts, around the first difference', () => {
  const lines = (word: string) => ['first', `${'x'.repeat(300)}${word}${'y'.repeat(300)}`, 'last'].join('\n');
  const [before = '', after = '', ...others] = differenceLines(
    requestDifferences(asked(lines('old')), asked(lines('new'))),
  );
  expect(others).toEqual([]);
  expect(before).toMatch(/^system {2}- …x+oldy+…$/);
  expect(after).toMatch(/^ {8}\+ …x+newy+…$/);
});

it('shows parts that only one of the requests has, and values by their paths', () => {
  const fresh = { ...asked('S', 'one', 'two'), params: { temperature: 0 } };
  expect(differenceLines(requestDifferences(asked('S', 'one'), fresh))).toEqual([
    'params.temperature  - 1',
    '                    + 0',
    'user                + two',
  ]);
  expect(
    requestDifferences({ name: 'search', arguments: '{"q":1}' }, { name: 'search', arguments: '{"q":2}' }),
  ).toEqual([{ label: 'arguments', recorded: '{"q":1}', asked: '{"q":2}' }]);
});
