import { setImmediate as turn } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { createStoreClock, createTimeReader, millisecondsOf } from './store-clock.ts';

/** A clock whose local clocks are set by hand. */
function clockAt() {
  const local = { elapsed: 0, day: 0 };
  const clock = createStoreClock({ monotonic: () => local.elapsed, wall: () => local.day });
  return { local, clock };
}

describe('createStoreClock', () => {
  it('continues from the time of the store', () => {
    const { local, clock } = clockAt();
    clock.ask()(5000.9);

    local.elapsed = 10;

    expect(clock.now()).toBe(5010);
  });

  it('stands still while the store’s clock is set back by up to a second', () => {
    const { local, clock } = clockAt();
    clock.ask()(5000);
    expect(clock.now()).toBe(5000);

    clock.ask()(4000);
    expect(clock.now()).toBe(5000);
    local.elapsed = 500;
    expect(clock.now()).toBe(5000);
    local.elapsed = 1500;
    expect(clock.now()).toBe(5500);
  });

  it('follows a clock that was set back further', () => {
    const { local, clock } = clockAt();
    clock.ask()(3_605_000);
    expect(clock.now()).toBe(3_605_000);

    clock.ask()(5000);
    expect(clock.now()).toBe(5000);
    local.elapsed = 500;
    expect(clock.now()).toBe(5500);
  });

  it('does not fall behind when a reply is read late', () => {
    const { local, clock } = clockAt();
    clock.ask()(5000);

    local.elapsed = 10;
    const setTime = clock.ask();
    local.elapsed = 20_010;
    setTime(5015);

    expect(clock.now()).toBe(25_010);
  });

  it('follows a clock that was set back or forward with the next reply', () => {
    const { local, clock } = clockAt();
    clock.ask()(5000);
    local.elapsed = 100;
    clock.ask()(9000);
    expect(clock.now()).toBe(9000);

    clock.ask()(6000);
    expect(clock.now()).toBe(6000);
  });

  it('does not depend on the local time of day after the first reply', () => {
    const { local, clock } = clockAt();
    local.day = 9_000_000;
    expect(clock.now()).toBe(9_000_000);

    clock.ask()(5000);

    expect(clock.now()).toBe(5000);
  });
});

describe('createTimeReader', () => {
  it('asks for the time when it is a moment old, and once at a time', async () => {
    const { local, clock } = clockAt();
    const replies: (() => void)[] = [];
    const time = () => new Promise((resolve) => replies.push(() => resolve([5, 0])));
    const refresh = createTimeReader({ time } as unknown as Redis, clock); // nothing else is called

    refresh();
    refresh();
    replies[0]?.();
    await turn();
    refresh();
    expect([replies.length, clock.now()]).toEqual([1, 5000]);

    local.elapsed = 100;
    refresh();
    expect(replies).toHaveLength(2);
  });

  it('asks again after a request that failed', async () => {
    const { clock } = clockAt();
    let requests = 0;
    const time = () => Promise.reject(new Error(`request ${++requests}`));
    const refresh = createTimeReader({ time } as unknown as Redis, clock); // likewise

    refresh();
    await turn();
    refresh();

    expect(requests).toBe(2);
  });
});

describe('millisecondsOf', () => {
  it('joins the two numbers of Redis’ TIME', () => {
    expect(millisecondsOf('1700000000', '123456')).toBe(1_700_000_000_123.456);
  });
});
