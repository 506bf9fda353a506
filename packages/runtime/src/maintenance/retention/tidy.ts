import type { RunId } from '@millrace/core';
import { RequestError } from '@millrace/core';
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

/** Runs that could not be removed for the same reason. */
interface Failure {
  readonly first: RunId;
  readonly error: unknown;
  count: number;
}

/**
 * Removes the runs whose retention has ended. The cost depends on their number, not on the number of all runs. A run
 * that cannot be removed does not delay others; each reason is reported once, as a store that is away fails all of them.
 */
export async function removeExpiredRuns(tidying: RetentionOptions, signal: AbortSignal): Promise<void> {
  const failures = new Map<string, Failure>();
  for (const status of endedStatuses) {
    const keptMs = tidying.keep[status];
    if (keptMs === undefined) continue;
    await removeEnded(tidying, { status, until: tidying.store.now() - keptMs, signal, failures });
  }
  for (const { first, error, count } of failures.values()) {
    const others = count === 1 ? '' : ` and ${count - 1} other${count === 2 ? '' : 's'}`;
    tidying.report(`the run ${first}${others} could not be removed; trying again`, error);
  }
  await sweepBlobs(tidying);
}

interface Removing {
  readonly status: EndedStatus;
  readonly until: number;
  readonly signal: AbortSignal;
  /** By reason. */
  readonly failures: Map<string, Failure>;
}

async function removeEnded(tidying: RetentionOptions, { status, until, signal, failures }: Removing): Promise<void> {
  let skip = 0;
  for (let found = atOnce; found === atOnce; ) {
    const runs = await tidying.store.retention.ended(status, { until, skip, limit: atOnce });
    found = runs.length;
    for (const run of runs) {
      if (signal.aborted) return;
      if (!(await isGone(run, tidying, failures))) skip += 1;
    }
  }
}

async function isGone(run: RunId, tidying: RetentionOptions, failures: Removing['failures']): Promise<boolean> {
  try {
    return (await removeRun(run, tidying)) === 'removed';
  } catch (error) {
    const reason = error instanceof RequestError ? error.code : String(error);
    const failure = failures.get(reason);
    if (failure === undefined) failures.set(reason, { first: run, error, count: 1 });
    else failure.count += 1;
    return false;
  }
}
