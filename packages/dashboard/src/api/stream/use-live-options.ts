import { useStore } from '../store.ts';
import { isStill } from './still.ts';
import { isStreaming } from './tenant-events.ts';

const pollMs = 15_000;
/** Interval after which a failed query is loaded again, in milliseconds. */
const againMs = 5_000;

/** Returns the options of a query that events keep up to date: it polls only where no events arrive. */
export function useLiveOptions() {
  const streams = useStore(isStreaming);
  const still = useStore(isStill);
  return {
    refetchOnWindowFocus: !still,
    refetchInterval: ({ state }: { readonly state: { readonly error: unknown } }): number | false =>
      still ? false : state.error !== null ? againMs : streams ? false : pollMs,
  };
}
