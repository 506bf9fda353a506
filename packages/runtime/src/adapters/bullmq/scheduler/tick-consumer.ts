import { setTimeout as sleep } from 'node:timers/promises';
import { subscribeToChanges } from '../../../live/refresh.ts';
import type { Broadcast } from '../../../ports/broadcast.ts';
import { nextTick } from '../../../ports/cron.ts';
import type { Consumer } from '../../../ports/queue.ts';
import type { Tick } from '../../../ports/scheduler.ts';
import type { Lease, TickStore } from './tick-store.ts';

const concurrency = 8;
/** Longest time between two checks: the notice of a series that another process has changed may be lost. */
const lookEveryMs = 5000;
/** The same where there are no notices. */
const lookEveryMsWithoutNotices = 1000;
/** Pause after an error. */
const retryMs = 1000;
/** Lease of a tick, in milliseconds. When the process that took it dies, the tick is given again afterwards. */
const leaseMs = 10_000;
/** Number of consecutive failures after which a tick is dropped. */
const mostFailures = 10;
const longestRestMs = 60_000;

/** Options of a consumer of ticks. */
export interface TickConsumerOptions {
  /** Announces series of ticks that were changed; absent: they are looked for more often. */
  readonly broadcast: Broadcast | undefined;
  perform(tick: Tick): Promise<void>;
  /** Called with failed ticks and errors of Redis. */
  onError(error: Error): void;
}

/**
 * Executes ticks when they are due, each at least once. The clock of Redis decides which tick is due, which one
 * follows, and when a failed one is tried again; the process only measures how long to wait until the next request.
 */
export function consumeTicks(store: TickStore, consuming: TickConsumerOptions): Consumer {
  const stop = new AbortController();
  const stopped = new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()));
  const active = new Set<Promise<void>>();
  const everyMs = consuming.broadcast === undefined ? lookEveryMsWithoutNotices : lookEveryMs;
  const report = (error: unknown) => consuming.onError(error instanceof Error ? error : new Error(String(error)));

  let interruptSleep = (): void => undefined;
  const look = async (): Promise<number> => {
    const { taken, nextInMs } = await store.take(concurrency - active.size, leaseMs);
    // Other consumers get these ticks when the lease ends: the request may have waited for Redis until after the stop.
    for (const lease of stop.signal.aborted ? [] : taken) {
      const work: Promise<void> = performTick(store, lease, consuming)
        .catch(report)
        .finally(() => {
          active.delete(work);
          // The series has its next time now.
          interruptSleep();
        });
      active.add(work);
    }
    return Math.min(Math.max(nextInMs, 1), everyMs);
  };
  const subscription = subscribeToChanges(consuming.broadcast, 'ticks', () => interruptSleep());
  stop.signal.addEventListener('abort', () => interruptSleep());
  const looks = async () => {
    while (!stop.signal.aborted) {
      const interruption = new AbortController();
      interruptSleep = () => interruption.abort();
      if (active.size === concurrency) await Promise.race([stopped, ...active]);
      const delayMs = await look().catch((error: unknown) => {
        if (!stop.signal.aborted) report(error);
        return retryMs;
      });
      await sleep(delayMs, undefined, { signal: interruption.signal }).catch(() => undefined);
    }
  };
  void looks();
  return {
    async close() {
      subscription?.stop();
      stop.abort();
      await Promise.all(active);
    },
  };
}

async function performTick(store: TickStore, { series, entry, now }: Lease, { perform, onError }: TickConsumerOptions) {
  const began = performance.now();
  /** Number of failures of this tick, if it fails now. */
  const failures = entry.failures + 1;
  const follow = { ...entry, at: nextTick(entry, Math.max(entry.at, now)), failures: 0 };
  try {
    await perform({ series, at: entry.at, now, isLast: failures === mostFailures });
  } catch (error) {
    onError(error instanceof Error ? error : new Error(String(error)));
    if (failures < mostFailures) {
      const dueAt = now + (performance.now() - began) + Math.min(1000 * 2 ** entry.failures, longestRestMs);
      await store.put(series, { before: entry, after: { ...entry, failures }, dueAt: Math.ceil(dueAt) });
      return;
    }
  }
  // Another process may have changed the series meanwhile, or executed the tick as well.
  await store.put(series, { before: entry, after: follow, dueAt: follow.at });
}
