import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inSlices } from './in-slices.ts';

it('handles entries that take long in their order, and lets others have their turns in between', async () => {
  const handled: number[] = [];
  let turns = 0;
  let isDone = false;
  const counting = (async () => {
    for (; !isDone; turns++) await turn();
  })();

  await inSlices(Array(20).keys(), (entry) => {
    const until = performance.now() + 3;
    while (performance.now() < until);
    handled.push(entry);
  });
  isDone = true;
  await counting;

  expect(handled).toEqual([...Array(20).keys()]);
  // Each slice has two entries.
  expect(turns).toBeGreaterThanOrEqual(9);
});
