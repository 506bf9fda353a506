import { setImmediate, setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { sleep } from './clock.ts';
import { createVirtualClock } from './virtual-clock.ts';

const day = 24 * 3_600_000;
const { signal } = new AbortController();

it('moves from one moment to the next, in their order', async () => {
  const clock = createVirtualClock(1000);
  const seen: (readonly [string, number])[] = [];
  const wait = async (name: string, ms: number) => {
    await sleep(clock, ms, signal);
    seen.push([name, clock.now()]);
  };

  await Promise.all([wait('a month', 30 * day), wait('a day', day), wait('a moment', 0)]);

  expect(seen).toEqual([
    ['a moment', 1000],
    ['a day', 1000 + day],
    ['a month', 1000 + 30 * day],
  ]);
});

it('stands still while work is in hand, however long that takes', async () => {
  const clock = createVirtualClock(0);
  const release = clock.hold();
  const slept = sleep(clock, day, signal);
  await setTimeout(20);
  expect(clock.now()).toBe(0);

  release();
  await slept;
  expect(clock.now()).toBe(day);
});

it('leaves two turns to work that goes on after its hold has ended', async () => {
  const clock = createVirtualClock(0);
  const slept = sleep(clock, day, signal);
  const goOn = async () => {
    const release = clock.hold();
    await setImmediate();
    release();
    await setImmediate();
    const again = clock.hold();
    const at = clock.now();
    again();
    return at;
  };

  expect([await goOn(), await goOn()]).toEqual([0, 0]);
  await slept;
});

it('forgets what was cancelled or aborted', async () => {
  const clock = createVirtualClock(0);
  const over = new AbortController();
  const slept = sleep(clock, day, over.signal);
  over.abort(new Error('stopped'));
  clock.after(2 * day, () => expect.fail('It was cancelled.'))();

  await expect(slept).rejects.toThrow('stopped');
  expect(await clock.still()).toBeUndefined();
  expect(clock.now()).toBe(0);
});

it('says to which time it moves next, and moves on from what is added then', async () => {
  const clock = createVirtualClock(0);
  const slept = sleep(clock, day, signal);
  expect(await clock.still()).toBe(day);
  const earlier = sleep(clock, 1000, signal).then(() => clock.now());

  expect(await earlier).toBe(1000);
  await slept;
  expect(clock.now()).toBe(day);
});

it('moves on although somebody always waits to be told', async () => {
  const clock = createVirtualClock(0);
  const told: (number | undefined)[] = [];
  const slept = sleep(clock, day, signal);
  for (let next = await clock.still(); ; next = await clock.still()) {
    told.push(next);
    clock.hold()();
    if (next === undefined) break;
  }

  await slept;
  expect(told).toEqual([day, undefined]);
});
