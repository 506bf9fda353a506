import { setTimeout as pause } from 'node:timers/promises';
import { refusedBy, unreachable } from '@millrace/runtime';

const patienceMs = 2000;

/** What Redis answers, or a RequestError when it does not for a while: commands wait as long as Redis is away. */
export async function withTimeout<T>(asked: Promise<T>): Promise<T> {
  const late = new AbortController();
  const given = pause(patienceMs, undefined, { ref: false, signal: late.signal }).then(() => {
    throw refusedBy(unreachable);
  });
  given.catch(() => undefined);
  asked.catch(() => undefined);
  try {
    return await Promise.race([asked, given]);
  } finally {
    late.abort();
  }
}
