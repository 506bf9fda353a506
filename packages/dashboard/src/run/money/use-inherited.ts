import type { ModelUsage, Run } from '@millrace/client';
import { useQuery } from '@tanstack/react-query';
import { millrace } from '../../api/millrace.ts';

/** Loads the usage in the history of a fork: the usage of the original run up to the fork; null for other runs. */
export const useInherited = ({ runId, origin }: Pick<Run, 'runId' | 'origin'>) =>
  useQuery({
    queryKey: ['run', runId, 'inherited'],
    queryFn: async ({ signal }): Promise<ModelUsage | null> => {
      const run = millrace.runs.get(runId);
      for await (const { id } of run.searchEvents({ type: 'run.forked', limit: 1 }, { signal }))
        return (await run.graph(id, { signal })).usage;
      return null;
    },
    staleTime: 'static',
    enabled: origin?.type === 'fork',
  });
