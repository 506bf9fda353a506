import { evicting } from '../../../ports/store/capacity.ts';
import type { StoreCapacity } from '../../../ports/store/port.ts';

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
