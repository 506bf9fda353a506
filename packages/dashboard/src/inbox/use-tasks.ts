import type { Page, TaskDetail } from '@millrace/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { millrace } from '../api/millrace.ts';

/** A question as the inbox and its run have it. */
export type AskedTask = Omit<TaskDetail, 'workflow' | 'status'> & Partial<Pick<TaskDetail, 'status'>>;

const everyMs = 3_000;

/** Loads the open questions of all runs, and keeps them up to date. */
export function useTasks() {
  return useInfiniteQuery({
    queryKey: ['tasks'],
    queryFn: ({ pageParam }): Promise<Page<TaskDetail>> => millrace.tasks.list({ limit: 100 }).page(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: everyMs,
  });
}

/** Loads one question, closed ones included. */
export function useTask(id: string) {
  return useQuery({ queryKey: ['task', id], queryFn: () => millrace.tasks.get(id), refetchInterval: everyMs });
}
