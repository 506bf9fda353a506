import { focusManager } from '@tanstack/react-query';
import { queryClient } from '../query-client.ts';
import { createStore } from '../store.ts';

/** Set while updates are held: events are counted, and the shown content does not change. */
export const isStill = createStore(false);

/** Runs that have changed while updates are held. */
export const missedRuns = createStore<ReadonlySet<string>>(new Set());

/** Number of events of the shown run that have arrived while updates are held. */
export const missedEvents = createStore(0);

/** Holds updates of the page, or resumes them. */
export function holdUpdates(still: boolean): void {
  isStill.set(still);
  missedRuns.set(new Set());
  missedEvents.set(0);
  // While updates are held the page sends no requests by itself, like a hidden page.
  focusManager.setFocused(still ? false : undefined);
  if (!still) void queryClient.invalidateQueries();
}
