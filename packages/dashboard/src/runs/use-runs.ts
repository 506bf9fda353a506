import type { Page, RunCounts, RunLine } from '@millrace/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { millrace } from '../api/millrace.ts';
import type { RunFilter } from './run-filter.ts';

const pageSize = 100;
/** Pages that are kept; older ones are loaded again when somebody scrolls back to them. */
const pagesKept = 30;

/** Loads the runs that a filter finds, page by page, and keeps them up to date. */
export function useRuns(filter: RunFilter) {
  return useInfiniteQuery({
    queryKey: ['runs', filter],
    queryFn: ({ pageParam }): Promise<Page<RunLine>> =>
      millrace.runs.list({ ...filter, limit: pageSize }).page(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    maxPages: pagesKept,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : 2_000),
  });
}

/** Loads the number of runs by status that the rest of a filter finds. */
export function useRunCounts({ workflow, tag }: RunFilter) {
  const query = { ...(workflow === undefined ? {} : { workflow }), ...(tag === undefined ? {} : { tag }) };
  return useQuery({
    queryKey: ['runs', 'counts', query],
    queryFn: (): Promise<RunCounts> => millrace.runs.counts(query),
    refetchInterval: 3_000,
    placeholderData: (previous) => previous,
  });
}
