import type { StoreCapacity } from '../store/port.ts';
import { evicting } from './evicting.ts';

/** Between two looks. */
const everyMs = 5000;

/**
 * Tells people when the `maxmemory-policy` of Redis is changed to one with which it may drop runs, and when it is put
 * right. The first look finds what the start has checked. Ends with the answer.
 */
export function watchPolicy(readCapacity: () => Promise<StoreCapacity>, log: (line: string) => void): () => void {
  let policy: string | undefined;
  let isAsking = false;
  const look = async (): Promise<void> => {
    // During an outage the question waits.
    if (isAsking) return;
    isAsking = true;
    try {
      const found = await readCapacity();
      const now = found.type === 'evicting' ? found.policy : undefined;
      if (now !== policy) log(now === undefined ? better : `${evicting(now).message} ${refused}`);
      policy = now;
    } catch {
      // An outage of Redis is told elsewhere, and this is asked again.
    } finally {
      isAsking = false;
    }
  };
  const timer = setInterval(() => void look(), everyMs).unref();
  return () => clearInterval(timer);
}

const better = 'Redis runs with maxmemory-policy noeviction again: new runs are started';
const refused = 'New runs are refused until then [REDIS_EVICTION]';
