import type { RunEvent } from '@millrace/client';
import { useEffect, useState } from 'react';
import { logOf } from '../follow/run-logs.ts';
import { isAfter } from './order.ts';

/** Maximum number of arrived events that an open view keeps; beyond it, the view starts again at the newest event. */
const mostArrived = 5_000;

/** Events of a run that have arrived since a view was opened. */
export interface ArrivedEvents {
  /** Id of the event before the first of them; undefined until it is loaded. */
  readonly since: string | undefined;
  /** In their order. */
  readonly events: readonly RunEvent[];
  readonly error: unknown;
}

const none: ArrivedEvents = { since: undefined, events: [], error: null };

/** Returns the events of a run that have arrived since the view was opened. */
export function useArrivedEvents(run: string): ArrivedEvents {
  const [arrived, setArrived] = useState(none);
  useEffect(() => {
    const log = logOf(run);
    let isOpen = true;
    setArrived(none);
    const unsubscribe = log.subscribe((events) => setArrived((before) => withMore(before, events)));
    log.position().then(
      (since) =>
        isOpen &&
        setArrived(({ events }) => ({ since, events: events.filter(({ id }) => isAfter(id, since)), error: null })),
      (error: unknown) => isOpen && setArrived({ ...none, error }),
    );
    return () => {
      isOpen = false;
      unsubscribe();
    };
  }, [run]);
  return arrived;
}

function withMore(before: ArrivedEvents, events: readonly RunEvent[]): ArrivedEvents {
  const newest = events.at(-1);
  if (newest === undefined) return before;
  if (before.since !== undefined && before.events.length + events.length > mostArrived)
    return { ...before, since: newest.id, events: [] };
  return { ...before, events: before.events.concat(events) };
}
