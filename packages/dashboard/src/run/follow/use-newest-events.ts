import type { RunEvent } from '@millrace/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { isAfter, placeAfter } from './place.ts';
import { logOf } from './run-logs.ts';

/** Events of a page. */
const pageSize = 500;

/** The loaded part of a journal, newest event first. */
interface NewestEvents {
  readonly events: readonly RunEvent[] | undefined;
  /** null: none. */
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Loads older events; absent when the first one is there. */
  readonly loadMore: (() => void) | undefined;
  readonly retry: () => void;
}

/** Loads the events of a run from the newest, or from a given one, backwards, and adds those that arrive. */
export function useNewestEvents(
  run: string,
  {
    from,
    types,
  }: {
    /** Id of the newest event that is shown; absent: the newest there is. */
    readonly from: string | undefined;
    /** Types of events, or their beginnings, as in `activation.*`; absent: all. */
    readonly types?: readonly string[] | undefined;
  },
): NewestEvents {
  const arrived = useArrivedEvents(run);
  const start = from ?? arrived.since;
  const parts = useInfiniteQuery({
    queryKey: ['run', run, 'older-events', start, types],
    queryFn: ({ pageParam, signal }) =>
      millrace.runs
        .get(run)
        .searchEvents(
          { order: 'newest', limit: pageSize, ...(types === undefined ? {} : { type: [...types] }) },
          { signal },
        )
        .page(pageParam),
    initialPageParam: placeAfter(start ?? '0-0'),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    staleTime: 'static',
    enabled: start !== undefined,
  });
  const events = useMemo(() => {
    if (parts.data === undefined) return undefined;
    const older = parts.data.pages.flatMap((page) => page.data);
    if (from !== undefined) return older;
    return arrived.events
      .filter(({ event }) => isOf(event.type, types))
      .reverse()
      .concat(older);
  }, [parts.data, arrived.events, from, types]);
  return {
    events,
    error: parts.error ?? (from === undefined ? arrived.error : null),
    isLoading: parts.isFetchingNextPage,
    loadMore: parts.hasNextPage ? () => void parts.fetchNextPage() : undefined,
    retry: () => void parts.refetch(),
  };
}

const isOf = (type: string, types: readonly string[] | undefined): boolean =>
  types === undefined ||
  types.some((wanted) => (wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted));

/** Maximum number of arrived events that an open view keeps; beyond it, the view starts again at the newest event. */
const mostArrived = 5_000;

/** Events of a run that have arrived since a view was opened. */
interface ArrivedEvents {
  /** Id of the event before the first of them; undefined until it is loaded. */
  readonly since: string | undefined;
  /** In their order. */
  readonly events: readonly RunEvent[];
  readonly error: unknown;
}

const none: ArrivedEvents = { since: undefined, events: [], error: null };

/** Returns the events of a run that have arrived since the view was opened. */
function useArrivedEvents(run: string): ArrivedEvents {
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
