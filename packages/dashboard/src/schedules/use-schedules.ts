import type { Page, Schedule } from '@millrace/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useSubjectOptions } from '../api/deletion.ts';
import { millrace } from '../api/millrace.ts';

/** Interval of loading schedules, in milliseconds: they change by requests and with time, without events. */
const everyMs = 10_000;

/** Loads the schedules in the order of their ids, and keeps them up to date. */
export const useSchedules = () =>
  useInfiniteQuery({
    queryKey: ['schedules', 'list'],
    queryFn: ({ pageParam }): Promise<Page<Schedule>> => millrace.schedules.list().page(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: everyMs,
  });

/** Loads one schedule, and keeps it up to date. */
export const useSchedule = (id: string) =>
  useQuery({
    queryKey: ['schedules', 'one', id],
    queryFn: ({ signal }) => millrace.schedules.get(id, { signal }),
    refetchInterval: everyMs,
    ...useSubjectOptions('schedules', id),
  });

/** Loads the last times of a schedule, newest first. */
export const useTicks = (id: string) =>
  useInfiniteQuery({
    queryKey: ['schedules', 'ticks', id],
    queryFn: ({ pageParam, signal }) => millrace.schedules.ticks(id, { signal }).page(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: everyMs,
    ...useSubjectOptions('schedules', id),
  });

/** Loads the next times of an expression, and the expression in words. */
export const useNextTimes = (cron: string, timezone: string) =>
  useQuery({
    queryKey: ['schedules', 'preview', cron, timezone],
    queryFn: ({ signal }) => millrace.schedules.preview({ cron, timezone }, { signal }),
    enabled: cron.trim() !== '',
    refetchInterval: false,
    retry: false,
  });
