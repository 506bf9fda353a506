import type { BatchRow, Page } from '@millrace/client';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { useLiveOptions } from '../../api/stream/use-live-options.ts';
import type { BatchPlace } from '../batch-place.ts';

/** Rows of a page; with their results, fewer, as each has a run to be read. */
const sizes = { rows: 200, results: 50 } as const;

/** Rows of a batch that an address names. */
export interface WantedRows extends BatchPlace {
  readonly batch: string;
  /** Number of rows with the status. */
  readonly count: number;
}

/** The rows of a batch near the window. */
export interface LoadedRows {
  /** Returns a row by its place in the list; undefined while it is not loaded. */
  readonly rowAt: (index: number) => BatchRow | undefined;
  readonly error: unknown;
  readonly retry: () => void;
}

/**
 * Loads the rows of a batch between two places of the list, and keeps them up to date. Without a status the place of a row
 * is its number, so that any page can be loaded; else a page begins where the one before ends.
 */
export function useRows({ batch, status, view, count }: WantedRows, from: number, to: number): LoadedRows {
  const size = sizes[view ?? 'rows'];
  const queries = useQueryClient();
  const live = useLiveOptions();
  // Cursors of pages whose rows have a status, as far as they are known.
  const [cursors, setCursors] = useState<readonly string[]>(['0']);
  const cursorOf = (page: number) => (status === undefined ? String(page * size) : cursors[page]);
  const wanted = Math.max(0, Math.floor(Math.min(to, count - 1) / size));
  const first = Math.max(0, Math.floor(from / size));
  const reached = status === undefined ? wanted : Math.min(wanted, cursors.length - 1);
  // The page that is reached leads on to those that are not.
  const numbers = range(Math.min(first, reached), reached);
  const keyOf = (page: number) => ['batches', 'rows', batch, status, view, size, cursorOf(page)] as const;
  const pages = useQueries({
    queries: numbers.map((page) => ({
      queryKey: keyOf(page),
      queryFn: (): Promise<Page<BatchRow>> => loadPage({ batch, status, view }, cursorOf(page) ?? '0', size),
      ...live,
    })),
  });
  const next = pages.at(-1)?.data?.nextCursor ?? null;
  useEffect(() => {
    if (status !== undefined && next !== null && reached < wanted && reached === cursors.length - 1)
      setCursors([...cursors, next]);
  }, [status, next, reached, wanted, cursors]);
  const failed = pages.find(({ error }) => error !== null);
  return {
    rowAt(index) {
      const page = Math.floor(index / size);
      const data = pages[numbers.indexOf(page)]?.data ?? queries.getQueryData<Page<BatchRow>>(keyOf(page));
      return data?.data[index - page * size];
    },
    error: failed?.error ?? null,
    retry: () => void failed?.refetch(),
  };
}

/** Rows of one kind. */
interface RowsOf {
  readonly batch: string;
  readonly status: BatchPlace['status'] | undefined;
  readonly view: BatchPlace['view'] | undefined;
}

function loadPage({ batch, status, view }: RowsOf, cursor: string, limit: number) {
  const query = { id: batch, limit, cursor, ...(status === undefined ? {} : { status }) };
  return millrace.call('batches.rows', { ...query, ...(view === undefined ? {} : { results: 'true' as const }) });
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
