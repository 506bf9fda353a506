import { expect, it } from 'vitest';
import { originLabel, ownTags } from './run-row.tsx';

it.each([
  ['replay', 'replay of a1'],
  ['fork', 'fork of a1'],
  ['batch', 'row of batch a1'],
  ['schedule', 'schedule a1'],
  ['intake', 'intake a1'],
] as const)('says where a run of a %s comes from', (type, words) => {
  expect(originLabel({ type, of: 'a1' })).toBe(words);
});

it('leaves out the tag of its source, and no other', () => {
  const tags = ['schedule:morning', 'news', 'schedule:evening'];

  expect(ownTags(tags, { type: 'schedule', of: 'morning' })).toEqual(['news', 'schedule:evening']);
  expect(ownTags(tags, undefined)).toEqual(tags);
});
