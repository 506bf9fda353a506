import type { RunGraphs } from '@millrace/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { millrace } from '../api/millrace.ts';
import { noteServerTime } from './follow/server-clock.ts';
import { hasEnded, useRun } from './use-run.ts';

const everyMs = 2_000;

/** Options of loading the graphs of a run. */
interface GraphsOptions {
  /** The page does not fold the journal: it is being loaded, or too long. Then the server tells the present and the past. */
  readonly isUnfolded?: boolean;
  /** Event after which they are looked at; absent: now. */
  readonly at?: string | undefined;
}

/** Loads the graphs of a run with the state of their nodes as the server has it. */
export function useGraphs(run: string, { isUnfolded = false, at }: GraphsOptions = {}) {
  const { data: facts } = useRun(run);
  const isOver = facts !== undefined && hasEnded(facts);
  const past = isUnfolded ? at : undefined;
  return useQuery({
    queryKey: past === undefined ? ['run', run, 'graph'] : ['run', run, 'graph', past],
    queryFn: async (): Promise<RunGraphs> => {
      const graphs = await millrace.runs.get(run).graph(past);
      noteServerTime(graphs.now);
      return graphs;
    },
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: isUnfolded && past === undefined && !isOver ? everyMs : false,
  });
}
