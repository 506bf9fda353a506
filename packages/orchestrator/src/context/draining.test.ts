import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createDraining } from './draining.ts';

/** Returns true if the shutdown waits for no load balancer: it ends within one turn of the event loop. */
async function endsAtOnce(asked: number, drainMs?: number): Promise<boolean> {
  const draining = createDraining(drainMs);
  for (let count = 0; count < asked; count++) draining.asked();
  expect(draining.isDraining).toBe(false);
  let isOver = false;
  void draining.drain().then(() => {
    isOver = true;
  });
  expect(draining.isDraining).toBe(true);
  // Timers of no time end after at most two turns.
  const until = performance.now() + 50;
  while (!isOver && performance.now() < until) await setImmediate();
  return isOver;
}

it('waits for load balancers only if one asks regularly, or the time is set', async () => {
  expect(await endsAtOnce(0)).toBe(true);
  expect(await endsAtOnce(1)).toBe(true);
  expect(await endsAtOnce(2)).toBe(false);
  expect(await endsAtOnce(0, 200)).toBe(false);
  expect(await endsAtOnce(2, 0)).toBe(true);
});
