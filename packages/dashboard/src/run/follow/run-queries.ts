import type { Run, RunGraphs, RunWorkflow } from '@millrace/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useLiveOptions } from '../../api/live-updates.ts';
import { millrace } from '../../api/millrace.ts';
import { noteServerTime } from '../../api/server-clock.ts';

/** A run. All users of its key share these options: the most recently mounted one defines how it is read again. */
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['run', id],
    queryFn: ({ signal }): Promise<Run> => millrace.runs.get(id).describe('head', { signal }),
  });

/** Loads a run. Its events keep it up to date; without events it is loaded every 15 seconds. */
export const useRun = (id: string) => useQuery({ ...runQuery(id), ...useLiveOptions() });

/** The graphs of a run as the server has them, now or after an event. `useFollowedRun` loads them again where it has to. */
export const graphsQuery = (run: string, at?: string) =>
  queryOptions({
    queryKey: at === undefined ? ['run', run, 'graph'] : ['run', run, 'graph', at],
    queryFn: async ({ signal }): Promise<RunGraphs> => {
      const graphs = await millrace.runs.get(run).graph(at, { signal });
      noteServerTime(graphs.now);
      return graphs;
    },
    staleTime: Number.POSITIVE_INFINITY,
    meta: { followsRun: false },
  });

/** The workflow that a run was started with: its text and variables never change. */
export const runWorkflowQuery = (run: string) =>
  queryOptions({
    queryKey: ['run', run, 'workflow'],
    queryFn: (): Promise<RunWorkflow> => millrace.runs.get(run).workflow(),
    staleTime: Number.POSITIVE_INFINITY,
    meta: { followsRun: false },
  });
