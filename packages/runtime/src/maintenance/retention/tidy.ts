import type { EndedStatus, RunId } from '@millrace/core';
import { endedStatuses, RequestError } from '@millrace/core';
import type { Runs } from '../../contract/runs.ts';
import type { RemovalOptions } from './remove-run.ts';
import { removeRun, sweepBlobs } from './remove-run.ts';

/** Time for which ended runs are kept, in milliseconds by status; default: for ever. */
export type Keep = Readonly<Partial<Record<EndedStatus, number>>>;

/** Options of the removal of many runs. */
interface TidyingOptions extends RemovalOptions {
  readonly report: (message: string, error: unknown) => void;
}

/** Options of retention. */
export interface RetentionOptions extends TidyingOptions {
  readonly keep: Keep;
}

/** Options of the removal of temporary runs. */
export interface TemporaryRunOptions extends TidyingOptions {
  readonly runs: Pick<Runs, 'cancel'>;
}

/** Number of runs that are listed at a time. */
const pageSize = 100;
/** Number of runs that are removed at the same time. */
const atOnce = 16;

/** Runs that could not be removed for the same reason. */
interface Failure {
  readonly first: RunId;
  readonly error: unknown;
  count: number;
}

/**
 * Removes the runs whose retention has ended. The cost depends on their number, not on the number of all runs. A run
 * that cannot be removed does not delay others; each reason is reported once, as an unavailable store fails all of them.
 */
export async function removeExpiredRuns(options: RetentionOptions, signal: AbortSignal): Promise<void> {
  const { keep, store } = options;
  await tidy(options, async (failures) => {
    for (const status of endedStatuses) {
      const keptMs = keep[status];
      if (keptMs === undefined) continue;
      const until = store.now() - keptMs;
      const find = (skip: number) => store.retention.ended(status, { until, skip, limit: pageSize });
      await removeEach(find, async (run) => (await removeRun(run, options)) === 'removed', { failures, signal });
    }
  });
}

/** Removes the temporary runs whose time is over, as {@link removeExpiredRuns} does; those in progress are cancelled first. */
export async function removeTemporaryRuns(options: TemporaryRunOptions, signal: AbortSignal): Promise<void> {
  const { runs, store } = options;
  const until = store.now();
  const find = (skip: number) => store.retention.expired({ until, skip, limit: pageSize });
  const remove = async (run: RunId) => {
    const removal = await removeRun(run, options);
    if (removal !== 'live') return removal === 'removed';
    await runs.cancel(run, 'The time of this temporary run is over.');
    return (await removeRun(run, options)) === 'removed';
  };
  await tidy(options, (failures) => removeEach(find, remove, { failures, signal }));
}

/** Runs removals, reports those that failed, and deletes the blobs of the removed runs. */
async function tidy(options: TidyingOptions, removals: (failures: Failures) => Promise<void>): Promise<void> {
  const failures: Failures = new Map();
  await removals(failures);
  for (const { first, error, count } of failures.values()) {
    const others = count === 1 ? '' : ` and ${count - 1} other${count === 2 ? '' : 's'}`;
    options.report(`the run ${first}${others} could not be removed; trying again`, error);
  }
  await sweepBlobs(options);
}

/** By reason. */
type Failures = Map<string, Failure>;

interface RemovalContext {
  readonly failures: Failures;
  readonly signal: AbortSignal;
}

/** Removes the runs that `find` returns page by page; it skips those that could not be removed. */
async function removeEach(
  find: (skip: number) => Promise<readonly RunId[]>,
  remove: (run: RunId) => Promise<boolean>,
  { failures, signal }: RemovalContext,
): Promise<void> {
  let skip = 0;
  for (let found = pageSize; found === pageSize; ) {
    const runs = await find(skip);
    found = runs.length;
    const left = runs.values();
    const removeNext = async (): Promise<void> => {
      for (const run of left) {
        if (signal.aborted) return;
        const isGone = await remove(run).catch((error: unknown) => note(failures, run, error));
        if (!isGone) skip += 1;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, removeNext));
    if (signal.aborted) return;
  }
}

function note(failures: Failures, run: RunId, error: unknown): false {
  const reason = error instanceof RequestError ? error.code : String(error);
  const failure = failures.get(reason);
  if (failure === undefined) failures.set(reason, { first: run, error, count: 1 });
  else failure.count += 1;
  return false;
}
