import type { Run } from '@millrace/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { millrace } from '../../api/millrace.ts';
import { useLiveOptions } from '../../api/stream/use-live-options.ts';

/** Returns the query of a run. All users of its key share these options: the most recently mounted one defines how it is read again. */
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['run', id],
    queryFn: ({ signal }): Promise<Run> => millrace.runs.get(id).describe('head', { signal }),
  });

/** Loads a run. Its events keep it up to date; without events it is loaded every 15 seconds. */
export const useRun = (id: string) => useQuery({ ...runQuery(id), ...useLiveOptions() });
