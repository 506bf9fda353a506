import { setTimeout as sleep } from 'node:timers/promises';
import { describeKnown } from '@millrace/api';
import { startDeadline } from '@millrace/catalog';
import type { RunId } from '@millrace/core';
import type { RunDescription, TenantRuntime } from '@millrace/runtime';
import { withRedisTimeout } from './with-redis-timeout.ts';

/** Options of a request that waits for a run. */
export interface WaitOptions {
  readonly waitMs: number;
  /** Aborted when the client has disconnected, or the server closes. */
  readonly signal: AbortSignal;
}

/**
 * Returns the description of a run once it has ended, or when the wait is over. Throws REDIS_UNREACHABLE during an
 * outage of Redis.
 */
export const describeEnded = (
  tenantRuntime: TenantRuntime,
  run: RunId,
  options: WaitOptions,
): Promise<RunDescription> =>
  waiting(tenantRuntime, options, async (signal) => {
    const description = await describeKnown(tenantRuntime, run);
    if (description.finishedAt !== undefined) return description;
    for await (const { event } of tenantRuntime.run(run).watch(description.seen, signal))
      if (event.type === 'run.finished') break;
    return describeKnown(tenantRuntime, run);
  });

/**
 * Returns the description of a run once it has ended or waits for a person, or when the wait is over. Throws
 * REDIS_UNREACHABLE during an outage of Redis.
 */
export const describeIdle = (tenantRuntime: TenantRuntime, run: RunId, options: WaitOptions): Promise<RunDescription> =>
  waiting(tenantRuntime, options, async (signal) => {
    let description = await describeKnown(tenantRuntime, run);
    let asks = description.tasks.length > 0;
    if (isIdle(description)) return description;
    for await (const { event } of tenantRuntime.run(run).watch(description.seen, signal)) {
      asks ||= event.type === 'activation.suspended';
      // A run without questions cannot become idle when an activation ends.
      const mayBeIdle = event.type === 'run.finished' || event.type === 'run.paused' || asks;
      if (!mayBeIdle) continue;
      description = await describeKnown(tenantRuntime, run);
      if (isIdle(description)) return description;
    }
    return describeKnown(tenantRuntime, run);
  });

const isIdle = ({ status }: RunDescription): boolean => status !== 'running' && status !== 'stopping';

async function waiting<T>(
  tenantRuntime: TenantRuntime,
  { waitMs, signal }: WaitOptions,
  describe: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const done = new AbortController();
  const deadline = startDeadline(waitMs, signal, done.signal);
  try {
    return await Promise.race([describe(deadline.signal), outage(tenantRuntime, done.signal)]);
  } finally {
    done.abort();
    deadline.clear();
  }
}

/** Interval at which a waiting request checks for an outage of Redis, in milliseconds. */
const lookEveryMs = 500;

/**
 * Rejects with REDIS_UNREACHABLE when Redis stops answering. Commands wait during an outage, so they do not report it.
 */
async function outage(tenantRuntime: TenantRuntime, done: AbortSignal): Promise<never> {
  for (;;) {
    await sleep(lookEveryMs, undefined, { signal: done, ref: false });
    await withRedisTimeout(tenantRuntime.ping());
  }
}
