import { expect, it } from 'vitest';
import { onward } from './onward.ts';

it('runs on from its last time where the other clock is set back', () => {
  const times = [1000, 1010, 300, 310, 300, 320];
  const now = onward(() => times.shift() ?? 0);

  expect(Array.from({ length: 6 }, now)).toEqual([1000, 1010, 1010, 1020, 1020, 1040]);
});
