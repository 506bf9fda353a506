import type { Delivery, Page } from '@millrace/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useSubjectOptions } from '../api/deletion.ts';
import { millrace } from '../api/millrace.ts';
import { oneOf, searchOf } from '../kit/values/search.ts';

/** Interval of polling while nothing is in progress, and while deliveries are, in milliseconds. */
const everyMs = 10_000;
const soonMs = 1_000;

/** Loads the webhooks, each with its newest delivery. */
export const useWebhooks = () =>
  useQuery({ queryKey: ['webhooks', 'list'], queryFn: () => millrace.webhooks.list(), refetchInterval: everyMs });

/** Loads one webhook. */
export const useWebhook = (id: string) =>
  useQuery({
    queryKey: ['webhooks', 'one', id],
    queryFn: ({ signal }) => millrace.webhooks.get(id, { signal }),
    refetchInterval: everyMs,
    ...useSubjectOptions('webhooks', id),
  });

/** Loads the deliveries of a webhook, newest first; soon again while some are under way. */
export const useDeliveries = (id: string, state: Delivery['state'] | undefined) =>
  useInfiniteQuery({
    queryKey: ['webhooks', 'deliveries', id, state],
    queryFn: ({ pageParam, signal }): Promise<Page<Delivery>> =>
      millrace.webhooks.deliveries(id, state === undefined ? {} : { state }, { signal }).page(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: ({ state: { data } }) => (data?.pages[0]?.data.some(isUnderWay) === true ? soonMs : everyMs),
    ...useSubjectOptions('webhooks', id),
  });

const isUnderWay = ({ state, attempts }: Delivery): boolean => state === 'pending' && attempts.length === 0;

/** States of deliveries in the order of their tabs. */
export const deliveryStates = [
  'pending',
  'delivered',
  'failed',
  'gone',
] as const satisfies readonly Delivery['state'][];

/** What an address names of a webhook. */
export const parseWebhookSearch = searchOf({
  state: oneOf(...deliveryStates),
});
