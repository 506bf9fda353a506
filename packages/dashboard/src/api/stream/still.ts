import { queryClient } from '../query-client.ts';
import { createStore } from '../store.ts';

/** Set while the page stands still: what arrives is counted, and nothing that is shown changes. */
export const isStill = createStore(false);

/** Runs that have changed while the page stands still. */
export const missedRuns = createStore<ReadonlySet<string>>(new Set());

/** Stops the page from following what happens, or lets it follow again. */
export function standStill(still: boolean): void {
  isStill.set(still);
  missedRuns.set(new Set());
  if (!still) void queryClient.invalidateQueries();
}
