import type { RunEvent } from '@millrace/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { millrace } from '../../api/millrace.ts';
import { hasEnded, useRun } from '../use-run.ts';
import { commitOf, loadBefore } from './load-before.ts';

/** A journal, newest event first, as far as it is loaded. */
interface NewestEvents {
  readonly events: readonly RunEvent[] | undefined;
  /** null: none. */
  readonly error: Error | null;
  readonly isLoading: boolean;
  /** Loads older events; absent when the first one is there. */
  readonly loadMore: (() => void) | undefined;
  readonly retry: () => void;
}

/** Loads a journal from its newest event backwards, or from a given one, and adds what is new. */
export function useNewestEvents(run: string, from: string | undefined): NewestEvents {
  const handle = millrace.runs.get(run);
  const { data: facts } = useRun(run);
  const isOver = facts !== undefined && hasEnded(facts);
  const newest = useQuery({
    queryKey: ['run', run, 'newest-event'],
    queryFn: async () => (await handle.graph()).event,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: from === undefined,
  });
  const start = from ?? newest.data;
  const parts = useInfiniteQuery({
    queryKey: ['run', run, 'journal-before', start],
    queryFn: ({ pageParam }) => loadBefore(handle, pageParam),
    initialPageParam: start === undefined ? 0 : commitOf(start),
    getNextPageParam: ({ before }) => (before === 0 ? undefined : before),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: start !== undefined,
  });
  const tail = useQuery({
    queryKey: ['run', run, 'journal-after', newest.data],
    queryFn: async (): Promise<readonly RunEvent[]> => {
      const added: RunEvent[] = [];
      for await (const event of handle.journal(`${commitOf(newest.data ?? '0-0')}-999999999999999`)) added.push(event);
      return added.reverse();
    },
    enabled: newest.data !== undefined && from === undefined,
    refetchInterval: isOver ? false : 2_000,
  });
  const events = useMemo(() => {
    if (parts.data === undefined) return undefined;
    const older = parts.data.pages.flatMap((part) => part.events);
    return from === undefined ? (tail.data ?? []).concat(older) : older;
  }, [parts.data, tail.data, from]);
  return {
    events,
    error: parts.error ?? newest.error,
    isLoading: parts.isFetchingNextPage,
    loadMore: parts.hasNextPage ? () => void parts.fetchNextPage() : undefined,
    retry: () => void (newest.error === null ? parts.refetch() : newest.refetch()),
  };
}
