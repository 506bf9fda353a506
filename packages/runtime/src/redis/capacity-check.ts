import type { Redis } from 'ioredis';
import { headroomOf } from './headroom.ts';

/** How long an answer holds, in milliseconds. */
const freshMs = 1000;

/** Tells whether a Redis has room for one more run, and asks it at most once a second. */
export function createRoom(connection: Redis): () => Promise<boolean> {
  let answer: Promise<boolean> | undefined;
  let askedAt = 0;
  return () => {
    const now = performance.now();
    if (answer === undefined || now - askedAt > freshMs) {
      askedAt = now;
      answer = headroomOf(connection).then(({ isFull }) => !isFull);
      // An answer that did not come is asked for again.
      answer.catch(() => {
        answer = undefined;
      });
    }
    return answer;
  };
}
