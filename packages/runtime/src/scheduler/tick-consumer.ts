import { setTimeout as pause } from 'node:timers/promises';
import type { Consumer } from '../queue/port.ts';
import { nextTick } from './cron.ts';
import type { Tick } from './scheduler.ts';
import type { Lease, TickStore } from './tick-store.ts';

const concurrency = 8;
/** The longest time between two looks: a series that another process begins is noticed after it. */
const lookEveryMs = 1000;
/** Lease of a tick, in milliseconds. When the process that took it dies, the tick is given again afterwards. */
const leaseMs = 10_000;
/** After so many failures in a row, a tick is given up. */
const mostFailures = 10;
const longestRestMs = 60_000;

/** Options of a consumer of ticks. */
export interface TickConsumerOptions {
  perform(tick: Tick): Promise<void>;
  /** Hears of ticks that failed, and of trouble with Redis. */
  onError(error: Error): void;
}

/**
 * Performs ticks when they are due, each at least once. Which tick is due, which one follows, and when one that failed
 * is tried again is said by the clock of Redis; the process only measures how long to wait until it asks again.
 */
export function consumeTicks(store: TickStore, consuming: TickConsumerOptions): Consumer {
  const stop = new AbortController();
  const stopped = new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()));
  const atWork = new Set<Promise<void>>();
  const report = (error: unknown) => consuming.onError(error instanceof Error ? error : new Error(String(error)));

  const look = async (): Promise<number> => {
    const { taken, nextInMs } = await store.take(concurrency - atWork.size, leaseMs);
    // Others are given them when the lease is over: the request may have waited for Redis until after the stop.
    for (const lease of stop.signal.aborted ? [] : taken) {
      const work: Promise<void> = carryOut(store, lease, consuming)
        .catch(report)
        .finally(() => atWork.delete(work));
      atWork.add(work);
    }
    return Math.min(Math.max(nextInMs, 1), lookEveryMs);
  };
  const looks = async () => {
    while (!stop.signal.aborted) {
      if (atWork.size === concurrency) await Promise.race([stopped, ...atWork]);
      const delayMs = await look().catch((error: unknown) => {
        if (!stop.signal.aborted) report(error);
        return lookEveryMs;
      });
      await pause(delayMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  };
  void looks();
  return {
    async close() {
      stop.abort();
      await Promise.all(atWork);
    },
  };
}

async function carryOut(store: TickStore, { series, entry, now }: Lease, { perform, onError }: TickConsumerOptions) {
  const began = performance.now();
  const follow = { ...entry, at: nextTick(entry, Math.max(entry.at, now)), failures: 0 };
  try {
    await perform({ series, at: entry.at, now });
  } catch (error) {
    onError(error instanceof Error ? error : new Error(String(error)));
    const failures = entry.failures + 1;
    if (failures < mostFailures) {
      const dueAt = now + (performance.now() - began) + Math.min(1000 * 2 ** entry.failures, longestRestMs);
      await store.put(series, { before: entry, after: { ...entry, failures }, dueAt: Math.ceil(dueAt) });
      return;
    }
  }
  // Somebody may have changed the series meanwhile, or done the tick as well.
  await store.put(series, { before: entry, after: follow, dueAt: follow.at });
}
