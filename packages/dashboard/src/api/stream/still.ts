import { focusManager } from '@tanstack/react-query';
import { queryClient } from '../query-client.ts';
import { createStore } from '../store.ts';

/** Set while the page stands still: what arrives is counted, and nothing that is shown changes. */
export const isStill = createStore(false);

/** Runs that have changed while the page stands still. */
export const missedRuns = createStore<ReadonlySet<string>>(new Set());

/** Number of events of the run that is shown that have arrived while the page stands still. */
export const missedEvents = createStore(0);

/** Stops the page from following what happens, or lets it follow again. */
export function standStill(still: boolean): void {
  isStill.set(still);
  missedRuns.set(new Set());
  missedEvents.set(0);
  // A page that stands still asks for nothing by itself, as one that nobody looks at.
  focusManager.setFocused(still ? false : undefined);
  if (!still) void queryClient.invalidateQueries();
}
