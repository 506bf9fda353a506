import type { RunLine } from '@millrace/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { serverNow } from '../../api/server-clock.ts';
import type { RunFilter } from '../filter/run-filter.ts';
import type { SortColumn } from '../filter/run-order.ts';
import { mostSorted, sortedRuns } from '../filter/run-order.ts';
import type { RunPages } from './run-pages.ts';
import { pageOf } from './run-pages.ts';
import type { RunListState } from './use-run-list.ts';
import { loadPage } from './use-run-list.ts';

interface NewestRuns {
  readonly runs: readonly RunLine[];
  readonly looked: number;
  /** There are older ones that match. */
  readonly hasMore: boolean;
}

/** A sorted list, and whether it leaves out older runs. */
export interface SortedRuns extends RunListState {
  readonly hasMore: boolean;
}

/** Loads the newest runs that a filter finds, and sorts them by a column. */
export function useSortedRuns(filter: RunFilter, by: SortColumn): SortedRuns {
  const { data, error, dataUpdatedAt, refetch } = useQuery({
    queryKey: ['runs', 'newest', filter],
    queryFn: () => loadNewest(filter),
    // Many pages are read, so only when somebody asks.
    refetchInterval: false,
  });
  const list = useMemo(() => (data === undefined ? undefined : listOf(data, by)), [data, by]);
  return {
    list,
    error,
    updatedAt: dataUpdatedAt,
    // All pages are there.
    load: () => undefined,
    retry: () => void refetch(),
    hasMore: data?.hasMore === true,
  };
}

const listOf = ({ runs, looked }: NewestRuns, by: SortColumn): RunPages => ({
  pages: [pageOf(sortedRuns(runs, by, serverNow()))],
  next: null,
  looked,
  isPartial: false,
});

/** Pages that are read at most: of a filter that few runs match, the server looks through many runs for each. */
const mostPages = 20;

async function loadNewest(filter: RunFilter): Promise<NewestRuns> {
  const runs: RunLine[] = [];
  let looked = 0;
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages && runs.length < mostSorted; pages++) {
    const page = await loadPage(filter, cursor === undefined ? {} : { cursor });
    for (const run of page.data) runs.push(run);
    looked += page.looked;
    if (page.nextCursor === null) return { runs, looked, hasMore: false };
    cursor = page.nextCursor;
  }
  return { runs, looked, hasMore: true };
}
