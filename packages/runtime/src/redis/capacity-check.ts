import type { Redis } from 'ioredis';
import type { StoreCapacity } from '../store/port.ts';
import { headroomOf } from './headroom.ts';

/** Time for which an answer holds, in milliseconds. */
const freshMs = 1000;

/** Tells whether a Redis has room for one more run, and can be trusted with it; asks it at most once a second. */
export function createCapacityCheck(connection: Redis): () => Promise<StoreCapacity> {
  let answer: Promise<StoreCapacity> | undefined;
  let askedAt = 0;
  return () => {
    const now = performance.now();
    if (answer === undefined || now - askedAt > freshMs) {
      askedAt = now;
      answer = headroomOf(connection).then(({ isFull, policy }) => {
        if (policy !== undefined && policy !== 'noeviction') return { type: 'evicting', policy };
        return { type: isFull ? 'full' : 'enough' };
      });
      // An answer that did not come is asked for again.
      answer.catch(() => {
        answer = undefined;
      });
    }
    return answer;
  };
}
