import type { Batch, Page } from '@millrace/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useLiveOptions } from '../api/live-updates.ts';
import { millrace } from '../api/millrace.ts';

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
    queryFn: () => millrace.batches.get(id),
    ...useLiveOptions(),
  });
}
