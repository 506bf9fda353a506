import type { Run } from '@millrace/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { millrace } from '../api/millrace.ts';
import { useLiveOptions } from '../api/stream/use-live-options.ts';

const ended: ReadonlySet<Run['status']> = new Set(['completed', 'failed', 'cancelled', 'terminated']);

/** Tests if a run has ended; a retry or resume may continue it. */
export const hasEnded = ({ status }: Pick<Run, 'status'>): boolean => ended.has(status);

/** Returns the query of a run. All users of its key share these options: the most recently mounted one defines how it is read again. */
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['run', id],
    queryFn: ({ signal }): Promise<Run> => millrace.runs.get(id).describe('head', { signal }),
  });

/** Loads a run. Its events keep it up to date; without events it is loaded every 15 seconds. */
export const useRun = (id: string) => useQuery({ ...runQuery(id), ...useLiveOptions() });
