import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit';
import type { Outages, RequestCount, RequestCounts } from '@millrace/runtime';
import { withTimeout } from '@millrace/runtime';

/** Parts of a counter of requests. */
export interface CountingOptions {
  /** Counts that all servers share; absent: this server counts alone. */
  readonly counts: RequestCounts | undefined;
  readonly outages: Pick<Outages, 'current'> | undefined;
}

/** Time that a request waits for its count, in milliseconds. */
const countTimeoutMs = 500;
/** Maximum number of callers that this server counts by itself. */
const maxCallers = 10_000;

/**
 * Creates the store of the rate limiter, which counts the requests of each caller in all servers together. While Redis
 * is unavailable or slow, each server counts by itself: limits must not refuse requests that read what is cached.
 */
export function requestCounter({ counts, outages }: CountingOptions): FastifyRateLimitStoreCtor {
  const alone = countsOfThisServer();
  const add = async (caller: string, windowMs: number): Promise<RequestCount> => {
    if (counts === undefined || outages?.current() !== undefined) return alone(caller, windowMs);
    return withTimeout(counts.add(caller, windowMs), countTimeoutMs, () => new Error('Redis is slow')).catch(() =>
      alone(caller, windowMs),
    );
  };
  const store: FastifyRateLimitStore = {
    incr(caller, callback, windowMs = 60_000) {
      void add(caller, windowMs).then(({ count, remainingMs }) => callback(null, { current: count, ttl: remainingMs }));
    },
    child: () => store,
  };
  // The plugin creates its store itself; a constructor may return another object.
  return function Store() {
    return store;
  } as unknown as FastifyRateLimitStoreCtor;
}

/** Counts in this process. The callers that came first are dropped first. */
function countsOfThisServer(): (caller: string, windowMs: number) => RequestCount {
  const windows = new Map<string, { count: number; readonly endsAt: number }>();
  return (caller, windowMs) => {
    const now = performance.now();
    let window = windows.get(caller);
    if (window === undefined || window.endsAt <= now) {
      windows.delete(caller);
      window = { count: 0, endsAt: now + windowMs };
      windows.set(caller, window);
    }
    window.count += 1;
    const [first] = windows.keys();
    if (windows.size > maxCallers && first !== undefined) windows.delete(first);
    return { count: window.count, remainingMs: window.endsAt - now };
  };
}
