import type { Batch, BatchRow, Page } from '@millrace/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useSubjectOptions } from '../api/deletion.ts';
import { useLiveOptions } from '../api/live-updates.ts';
import { millrace } from '../api/millrace.ts';
import type { SearchOf } from '../kit/values/search.ts';
import { oneOf, searchOf } from '../kit/values/search.ts';

/** Loads the batches, newest first, and keeps them up to date. */
export function useBatches() {
  return useInfiniteQuery({
    queryKey: ['batches', 'list'],
    queryFn: ({ pageParam }): Promise<Page<Batch>> => millrace.batches.list().page(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    ...useLiveOptions(),
  });
}

/** Loads one batch, and keeps it up to date. */
export function useBatch(id: string) {
  return useQuery({
    queryKey: ['batches', 'one', id],
    queryFn: ({ signal }) => millrace.batches.get(id, { signal }),
    ...useLiveOptions(),
    ...useSubjectOptions('batches', id),
  });
}

/** Statuses of rows in the order of their tabs. */
export const rowStatuses = [
  'waiting',
  'running',
  'completed',
  'failed',
  'terminated',
  'cancelled',
  'invalid',
] as const satisfies readonly BatchRow['status'][];

/** What an address names of a batch. */
export const parseBatchSearch = searchOf({
  status: oneOf(...rowStatuses),
  /** Rows with their inputs and outputs. */
  view: oneOf('results'),
});

/** See {@link parseBatchSearch}. */
export type BatchSearch = SearchOf<typeof parseBatchSearch>;
