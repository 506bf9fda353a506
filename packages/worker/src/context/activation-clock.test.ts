import type { Clock } from '@millrace/runtime';
import { createVirtualClock } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { ActivationClock } from './activation-clock.ts';

const { signal } = new AbortController();

/** A virtual clock that counts the holds on it. */
function countingClock() {
  let holds = 0;
  const virtual = createVirtualClock(0);
  const hold: Clock['hold'] = () => {
    const release = virtual.hold();
    holds += 1;
    return () => {
      holds -= 1;
      release();
    };
  };
  return { clock: { ...virtual, hold }, holds: () => holds };
}

it('holds the clock until the work ends', async () => {
  const { clock, holds } = countingClock();
  const work = new ActivationClock(clock);
  work.begin().end();
  expect(holds()).toBe(1);

  work.end();
  expect(holds()).toBe(0);
});

it('is asleep while something waits and every part does', async () => {
  const { clock, holds } = countingClock();
  const work = new ActivationClock(clock);
  const [one, other] = [work.begin(), work.begin()];
  const first = one.sleep(1000, signal);
  expect(holds()).toBe(1);

  const second = other.sleep(2000, signal);
  expect(holds()).toBe(0);
  await first;
  expect([clock.now(), holds()]).toEqual([1000, 1]);

  one.end();
  expect(holds()).toBe(0);
  await second;
  expect([clock.now(), holds()]).toEqual([2000, 1]);
});

it('waits beside its parts only while none of them is at work', async () => {
  const { clock, holds } = countingClock();
  const work = new ActivationClock(clock);
  const part = work.begin();
  const slept = work.sleep(1000, signal);
  expect(holds()).toBe(1);

  part.end();
  expect(holds()).toBe(0);
  await slept;
  expect([clock.now(), holds()]).toEqual([1000, 1]);
});

it('stays ended when something of it still waits', async () => {
  const { clock, holds } = countingClock();
  const work = new ActivationClock(clock);
  const part = work.begin();
  const slept = part.sleep(1000, signal);
  work.end();
  await slept;

  expect(holds()).toBe(0);
});
