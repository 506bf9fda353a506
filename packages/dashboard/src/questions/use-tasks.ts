import type { Page, TaskDetail } from '@millrace/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useLiveOptions } from '../api/live-updates.ts';
import { millrace } from '../api/millrace.ts';
import type { SearchOf } from '../kit/values/search.ts';
import { oneOf, searchOf, text } from '../kit/values/search.ts';

/** A question as the inbox and its run have it. */
export type AskedTask = Omit<TaskDetail, 'workflow' | 'status'> & Partial<Pick<TaskDetail, 'status' | 'workflow'>>;

const filters = { open: { status: 'open' }, mine: { assignee: 'me' }, all: {} } as const;

/** Loads the questions of all runs, or of those of one workflow, those of the oldest run first, and keeps them up to date. */
export function useTasks({ tab, workflow }: InboxSearch) {
  return useInfiniteQuery({
    queryKey: ['tasks', 'list', tab, workflow],
    queryFn: ({ pageParam, signal }): Promise<Page<TaskDetail>> =>
      millrace.tasks
        .list({ ...filters[tab ?? 'open'], workflow, order: 'oldest', limit: 100, view: 'head' }, { signal })
        .page(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    ...useLiveOptions(),
  });
}

/** Counts the questions of all runs, or of those of one workflow, and keeps the numbers up to date. */
export function useTaskCounts(workflow?: string) {
  return useQuery({
    queryKey: ['tasks', 'counts', workflow],
    queryFn: ({ signal }) => millrace.tasks.counts({ workflow }, { signal }),
    ...useLiveOptions(),
  });
}

/** Returns the number of open questions for display; '' for none. */
export function useWaitingQuestions(): string {
  const { data } = useTaskCounts();
  const total = data === undefined ? 0 : data.open + data.claimed;
  return total === 0 ? '' : `${total}${data?.capped === true ? '+' : ''}`;
}

/** Loads one question, closed ones included. */
export function useTask(id: string) {
  return useQuery({
    queryKey: ['tasks', 'one', id],
    queryFn: () => millrace.tasks.get(id),
    ...useLiveOptions(),
  });
}

/** Questions that the inbox shows: unclaimed ones, those of the caller, or all. */
export type InboxTab = 'open' | 'mine' | 'all';

/** What an address names of the inbox. */
export const parseInboxSearch = searchOf({
  tab: oneOf('mine', 'all'),
  /** Name of the only workflow whose questions are listed. */
  workflow: text,
});

/** See {@link parseInboxSearch}. */
export type InboxSearch = SearchOf<typeof parseInboxSearch>;
