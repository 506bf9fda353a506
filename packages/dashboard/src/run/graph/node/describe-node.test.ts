import { expect, it } from 'vitest';
import { countedOf } from './describe-node.ts';

it.each([
  ['has not been triggered', 0, 0, 0],
  ['has been triggered twice', 2, 2, 2],
  ['has reached its limit, and starts anew', 0, 1_000, 1_000],
  ['has been triggered after its limit', 1, 1_001, 1],
])('counts of a loop counter that %s', (_state, value, runs, expected) => {
  expect(countedOf({ value, limit: 1_000 }, runs)).toBe(expected);
});
