import type { Page, TaskDetail } from '@millrace/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { millrace } from '../api/millrace.ts';
import { useLiveOptions } from '../api/stream/use-live-options.ts';

/** A question as the inbox and its run have it. */
export type AskedTask = Omit<TaskDetail, 'workflow' | 'status'> & Partial<Pick<TaskDetail, 'status' | 'workflow'>>;

/** Questions that the inbox shows: those that nobody has claimed, those of the caller, or all. */
export type InboxTab = 'open' | 'mine' | 'all';

const filters = { open: { status: 'open' }, mine: { assignee: 'me' }, all: {} } as const;

/** Loads the questions of all runs, those of the oldest run first, and keeps them up to date. */
export function useTasks(tab: InboxTab) {
  return useInfiniteQuery({
    queryKey: ['tasks', tab],
    queryFn: ({ pageParam }): Promise<Page<TaskDetail>> =>
      millrace.tasks.list({ ...filters[tab], order: 'oldest', limit: 100 }).page(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    ...useLiveOptions(),
  });
}

/** Counts the questions of all runs, and keeps the numbers up to date. */
export function useTaskCounts() {
  return useQuery({
    queryKey: ['tasks', 'counts'],
    queryFn: () => millrace.tasks.counts(),
    ...useLiveOptions(),
  });
}

/** Returns the number of questions that wait for an answer as it is shown; '' for none. */
export function useWaitingQuestions(): string {
  const { data } = useTaskCounts();
  const total = data === undefined ? 0 : data.open + data.claimed;
  return total === 0 ? '' : `${total}${data?.capped === true ? '+' : ''}`;
}

/** Loads one question, closed ones included. */
export function useTask(id: string) {
  return useQuery({
    queryKey: ['task', id],
    queryFn: () => millrace.tasks.get(id),
    ...useLiveOptions(),
  });
}
