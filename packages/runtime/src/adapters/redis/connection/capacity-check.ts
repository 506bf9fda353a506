import type { Redis } from 'ioredis';
import type { StoreCapacity } from '../../../ports/store/port.ts';
import type { StoreClock } from '../../../ports/store/store-clock.ts';
import { headroomOf } from './headroom.ts';

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
