import type { BulkOrder, Page } from '@millrace/client';
import { skipToken, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { millrace } from '../../api/millrace.ts';
import { useLiveOptions } from '../../api/stream/still.ts';

const everyMs = 1_000;

/** Loads the progress of a bulk order, until it is finished. */
export const useOrder = (id: string | undefined) =>
  useQuery({
    queryKey: ['bulk', 'one', id],
    queryFn: id === undefined ? skipToken : () => millrace.bulk.get(id),
    refetchInterval: ({ state }) => (state.data?.status === 'finished' ? false : everyMs),
  });

/** Loads the orders of the last week, newest first, and keeps them up to date. */
export const useOrders = () =>
  useInfiniteQuery({
    queryKey: ['bulk', 'list'],
    queryFn: ({ pageParam }): Promise<Page<BulkOrder>> => millrace.bulk.list().page(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    ...useLiveOptions(),
  });
