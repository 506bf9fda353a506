import type { Run } from '@millrace/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { millrace } from '../api/millrace.ts';
import { useLiveOptions } from '../api/stream/use-live-options.ts';

const ended: ReadonlySet<Run['status']> = new Set(['completed', 'failed', 'cancelled', 'terminated']);

/** Returns whether a run has ended for good; it may be retried or resumed all the same. */
export const hasEnded = ({ status }: Pick<Run, 'status'>): boolean => ended.has(status);

/** Returns the query of a run. All who use its key use it whole: the one that was mounted last is how it is read again. */
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['run', id],
    queryFn: ({ signal }): Promise<Run> => millrace.runs.get(id).describe('head', { signal }),
  });

/** Loads a run. Its events keep it up to date; where no events arrive it is asked for every 15 seconds. */
export const useRun = (id: string) => useQuery({ ...runQuery(id), ...useLiveOptions() });
