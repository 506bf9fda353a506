import { createVocabulary } from '@millrace/catalog';
import { textMessage } from '@millrace/core';
import { expect, it } from 'vitest';
import { longestTurn } from '../../support/longest-turn.ts';

const { conditions, splitters } = createVocabulary();

/** The condition of an edge with a pattern. */
const matching = (pattern: string) => {
  const condition = conditions.get('regex')?.compile({ pattern, flags: [] }, { compat: false });
  return (text: string) => Promise.resolve(condition?.(text, textMessage('user', text, 'A'), () => undefined));
};

const unlucky = `${'a'.repeat(60)}!`;

it('stops searches that take too long, one for each of twelve edges, and delays no other work', {
  timeout: 240_000,
}, async () => {
  const searches = Array.from({ length: 12 }, (_, at) => matching(`(a+)+\\b${'x'.repeat(at)}$`)(unlucky));
  const settled = Promise.allSettled(searches);

  expect(await longestTurn(settled)).toBeLessThan(1000);
  for (const one of await settled) expect(one).toMatchObject({ status: 'rejected', reason: { code: 'REGEX_TIMEOUT' } });
});

it('finds the same in another process as directly', async () => {
  const text = `${'lorem ipsum '.repeat(60_000)}needle`;
  expect(await matching('(?:[a-z]{1,9} ?)+n..dle$')(text)).toBe(true);
  expect(await matching('(?:[a-z]{1,9} ?)+n..dlf$')(text)).toBe(false);
  const split = splitters
    .get('regex')
    ?.compile({ pattern: '(l[a-z]{1,200}) ([a-z]{1,300})', on_no_match: 'pass', group: 2 }, { compat: false });
  const units = [...((await split?.([textMessage('user', text, 'A')], 100_000)) ?? [])];
  expect(units).toHaveLength(60_000);
  expect(units[0]?.content).toBe('ipsum');
});
