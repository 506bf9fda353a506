import type { RunId, RunStatus } from '@millrace/core';
import type { Store } from '@millrace/runtime';

let commits = 0;

/** Number of commits that this process has made so far. */
export const committed = (): number => commits;

/** Hears how runs stand from the commits of this process, so that watching costs nothing. */
export function onStatus(store: Store, hear: (run: RunId, status: RunStatus) => void): void {
  const { commit } = store;
  store.commit = async (request) => {
    const result = await commit(request);
    if (result.type !== 'committed') return result;
    commits += 1;
    if (request.summary !== undefined) hear(request.run, request.summary.status);
    return result;
  };
}

/** Returns true if a run has completed; throws if it ended otherwise, because the measurement is then worthless. */
export function hasCompleted(run: RunId, status: RunStatus): boolean {
  if (status === 'failed' || status === 'cancelled' || status === 'terminated') {
    throw new Error(`${run} of the benchmark ended as ${status}; what it took means nothing.`);
  }
  return status === 'completed';
}
