import type { Redis } from 'ioredis';

/** A store's clock, as this process knows it. */
export interface StoreClock {
  /** Begins a request for the time; the returned function accepts the time in the reply, in milliseconds since 1970. */
  ask(): (shown: number) => void;
  /** Whole milliseconds since 1970; never less than before, unless the store's clock was set back by more than a second. */
  now(): number;
  /** Milliseconds since the last reply with the time. */
  ageMs(): number;
}

/** The clocks of this process, both in milliseconds: one that never steps, and one that tells the time of day. */
export interface LocalClocks {
  monotonic(): number;
  wall(): number;
}

/**
 * The longest time that this clock stands still, in milliseconds. Where the store's clock is set back further, as by a
 * failover, it is followed: else all that is timed in this process would wait for the difference, and fall due too early in others.
 */
const maxStandMs = 1000;

const local: LocalClocks = { monotonic: () => performance.now(), wall: () => Date.now() };

/**
 * Keeps the offset between the store's clock and the local monotonic one. The clock showed its time at some moment
 * between request and reply, which bounds the offset: a late reply, as after this process was frozen, says little and
 * changes nothing. Until the first reply, the local wall clock is used; it does not count for "never less than before",
 * as it may be ahead of the store.
 */
export function createStoreClock(clocks: LocalClocks = local): StoreClock {
  let offset: number | undefined;
  let latest = 0;
  let receivedAt = Number.NEGATIVE_INFINITY;
  return {
    ask() {
      const askedAt = clocks.monotonic();
      return (shown) => {
        receivedAt = clocks.monotonic();
        const [least, most] = [shown - clocks.monotonic(), shown - askedAt];
        offset = offset === undefined ? least : Math.min(Math.max(offset, least), most);
      };
    },
    now() {
      if (offset === undefined) return Math.floor(clocks.wall());
      const shown = Math.floor(offset + clocks.monotonic());
      if (shown > latest || shown < latest - maxStandMs) latest = shown;
      return latest;
    },
    ageMs: () => clocks.monotonic() - receivedAt,
  };
}

/** Redis' TIME in milliseconds. */
export const millisecondsOf = (seconds: string, microseconds: string): number =>
  Number(seconds) * 1000 + Number(microseconds) / 1000;

/** Reads the time of Redis. */
export async function readTime(connection: Redis, clock: Pick<StoreClock, 'ask'>): Promise<void> {
  const setTime = clock.ask();
  const [seconds, microseconds] = await connection.time();
  setTime(millisecondsOf(String(seconds), String(microseconds)));
}

/** Age of the time of Redis from which on it is read again with the next commit, in milliseconds: a failover may change it. */
const staleTimeMs = 100;

/**
 * Returns a function that sends a request for the time of Redis if the clock has not heard it for a moment, and none is in
 * progress. It does not wait for the reply; a request that fails is repeated by the next call.
 */
export function createTimeReader(connection: Redis, clock: Pick<StoreClock, 'ask' | 'ageMs'>): () => void {
  let isReading = false;
  return () => {
    if (isReading || clock.ageMs() < staleTimeMs) return;
    isReading = true;
    readTime(connection, clock)
      .catch(() => undefined)
      .finally(() => {
        isReading = false;
      });
  };
}
