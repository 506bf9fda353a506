import type { RunGraphs } from '@millrace/client';
import { queryOptions } from '@tanstack/react-query';
import { millrace } from '../../api/millrace.ts';
import { noteServerTime } from '../../api/server-clock.ts';

/** Returns the query of the graphs of a run as the server has them, now or after an event. */
export const graphsQuery = (run: string, at?: string) =>
  queryOptions({
    queryKey: at === undefined ? ['run', run, 'graph'] : ['run', run, 'graph', at],
    queryFn: async ({ signal }): Promise<RunGraphs> => {
      const graphs = await millrace.runs.get(run).graph(at, { signal });
      noteServerTime(graphs.now);
      return graphs;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
