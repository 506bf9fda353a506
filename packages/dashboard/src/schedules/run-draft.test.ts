import { expect, it } from 'vitest';
import { draftOf, mistakeIn, scheduledRunOf } from './run-draft.ts';

it.each([
  { workflow: 'poem' },
  {
    workflow: { yaml: 'graph: {}' },
    input: 'Rain\nand snow',
    vars: { WORD: 'a=b', SEVEN: '7', COUNT: 7, LIST: ['x'], LINES: 'a\nb' },
    tags: ['a', 'b'],
    budget: { usd: 0.5, tokens: 1000 },
    timeoutSeconds: 90,
    priority: 3,
    compat: 'chatdev' as const,
    webhook: { url: 'https://example.com' },
    attachments: ['file_1'],
  },
])('keeps all of a run that nobody changes', (run) => {
  expect(scheduledRunOf(draftOf(run))).toEqual(run);
});

it('says what cannot be sent', () => {
  const draft = draftOf({ workflow: 'poem' });

  expect(mistakeIn(draft)).toBeUndefined();
  expect(mistakeIn({ ...draft, variables: 'A=1\nfrench' })).toContain('french');
  expect(mistakeIn({ ...draft, limit: 'soon' })).toContain('30m');
});
