import type { Redis } from 'ioredis';
import { evicting } from '../../../ports/store/capacity.ts';
import type { StoreCapacity } from '../../../ports/store/port.ts';
import type { StoreClock } from '../../../ports/store/store-clock.ts';
import { headroomOf } from './headroom.ts';

/** Interval between two checks. */
const everyMs = 5000;

/**
 * Reports when the `maxmemory-policy` of Redis is changed to one with which it may evict runs, and when it is
 * corrected. The first check finds the policy that the start has checked. Returns a function that stops the checks.
 */
export function watchPolicy(readCapacity: () => Promise<StoreCapacity>, log: (line: string) => void): () => void {
  let policy: string | undefined;
  let isAsking = false;
  const look = async (): Promise<void> => {
    // During an outage the request waits.
    if (isAsking) return;
    isAsking = true;
    try {
      const found = await readCapacity();
      const now = found.type === 'evicting' ? found.policy : undefined;
      if (now !== policy) log(now === undefined ? better : `${evicting(now).message} ${refused}`);
      policy = now;
    } catch {
      // Another part reports outages of Redis; the next check repeats this request.
    } finally {
      isAsking = false;
    }
  };
  const timer = setInterval(() => void look(), everyMs).unref();
  return () => clearInterval(timer);
}

const better = 'Redis runs with maxmemory-policy noeviction again: new runs are started';
const refused = 'New runs are refused until then [REDIS_EVICTION]';

/** Time for which a result is valid, in milliseconds. */
const freshMs = 1000;

/**
 * Checks whether a Redis has capacity for one more run and cannot evict it; sends at most one request a second, whose
 * reply tells the clock the time of Redis.
 */
export function createCapacityCheck(connection: Redis, clock: Pick<StoreClock, 'ask'>): () => Promise<StoreCapacity> {
  let answer: Promise<StoreCapacity> | undefined;
  let askedAt = 0;
  return () => {
    const now = performance.now();
    if (answer === undefined || now - askedAt > freshMs) {
      askedAt = now;
      const setTime = clock.ask();
      answer = headroomOf(connection).then(({ isFull, policy, timeMs }) => {
        if (timeMs !== undefined) setTime(timeMs);
        if (policy !== undefined && policy !== 'noeviction') return { type: 'evicting', policy };
        return { type: isFull ? 'full' : 'enough' };
      });
      // A failed check is repeated.
      answer.catch(() => {
        answer = undefined;
      });
    }
    return answer;
  };
}
