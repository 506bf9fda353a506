import type { RunId } from '@millrace/core';
import type { EndedStatus } from '../../store/retention.ts';
import { endedStatuses } from '../../store/retention.ts';
import type { RemovalOptions } from './remove-run.ts';
import { removeRun, sweepBlobs } from './remove-run.ts';

/** Time for which ended runs are kept, in milliseconds by status; default: for ever. */
export type Keep = Readonly<Partial<Record<EndedStatus, number>>>;

/** Options of retention. */
export interface RetentionOptions extends RemovalOptions {
  readonly keep: Keep;
  readonly report: (message: string, error: unknown) => void;
}

const atOnce = 100;

/**
 * Removes the runs whose retention has ended. The cost depends on their number, not on the number of all runs. A run
 * that cannot be removed is reported, and does not delay others.
 */
export async function removeExpiredRuns(tidying: RetentionOptions, signal: AbortSignal): Promise<void> {
  for (const status of endedStatuses) {
    const keptMs = tidying.keep[status];
    if (keptMs !== undefined) await removeEnded(tidying, { status, until: tidying.store.now() - keptMs, signal });
  }
  await sweepBlobs(tidying);
}

async function removeEnded(
  tidying: RetentionOptions,
  { status, until, signal }: { status: EndedStatus; until: number; signal: AbortSignal },
): Promise<void> {
  let skip = 0;
  for (let found = atOnce; found === atOnce; ) {
    const runs = await tidying.store.retention.ended(status, { until, skip, limit: atOnce });
    found = runs.length;
    for (const run of runs) {
      if (signal.aborted) return;
      if (!(await isGone(run, tidying))) skip += 1;
    }
  }
}

async function isGone(run: RunId, tidying: RetentionOptions): Promise<boolean> {
  try {
    return (await removeRun(run, tidying)) === 'removed';
  } catch (error) {
    tidying.report(`the run ${run} could not be removed; trying again`, error);
    return false;
  }
}
