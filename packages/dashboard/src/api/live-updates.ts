import { focusManager } from '@tanstack/react-query';
import { queryClient } from './query-client.ts';
import { createStore, useStore } from './store.ts';
import { isStreaming } from './tenant-events.ts';
import { isRefused } from './transport.ts';

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

const pollMs = 15_000;
/** Interval after which a failed query is loaded again, in milliseconds; one that is refused waits for the next poll. */
const againMs = 5_000;

/** Returns the options of a query that events keep up to date: it polls only where no events arrive. */
export function useLiveOptions() {
  const streams = useStore(isStreaming);
  const still = useStore(isStill);
  return {
    refetchOnWindowFocus: !still,
    refetchInterval: ({ state: { error } }: { readonly state: { readonly error: unknown } }): number | false => {
      if (still) return false;
      if (error !== null) return isRefused(error) ? pollMs : againMs;
      return streams ? false : pollMs;
    },
  };
}
