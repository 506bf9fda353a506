import type { JournalEntry, RunId } from '@millrace/core';
import type { RunDescription, Runs } from '@millrace/runtime';

type Watched = Pick<Runs, 'watch'>;

/** Time after which a test no longer waits for a run, in milliseconds: no claim about time, see `waiting.ts`. */
const patienceMs = 150_000;

/** Yields the journal of a run from after an entry until the run has ended; throws if it does not end. */
export async function* entriesOf(runs: Watched, run: RunId, after = '0'): AsyncGenerator<JournalEntry> {
  const limit = AbortSignal.timeout(patienceMs);
  yield* runs.watch(run, after, limit);
  if (limit.aborted) throw new Error(`run ${run} has not ended in ${patienceMs / 1000} seconds`);
}

/** Waits until a run has ended. */
export async function untilEnded(runs: Watched, run: RunId, after?: string): Promise<void> {
  for await (const _entry of entriesOf(runs, run, after));
}

/** Waits until a run has ended, and returns it. */
export async function endedRun(
  runs: Pick<Runs, 'watch' | 'describe'>,
  run: RunId,
  after?: string,
): Promise<RunDescription> {
  await untilEnded(runs, run, after);
  const description = await runs.describe(run);
  if (description === undefined) throw new Error(`run ${run} is gone`);
  return description;
}

/** Waits for an entry that a check accepts, and returns it; throws if the run ends without one. */
export async function untilEntry(
  runs: Watched,
  run: RunId,
  holds: (entry: JournalEntry) => boolean,
  after?: string,
): Promise<JournalEntry> {
  for await (const entry of entriesOf(runs, run, after)) if (holds(entry)) return entry;
  throw new Error(`run ${run} has ended without the entry that is waited for`);
}
