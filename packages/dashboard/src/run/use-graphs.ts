import type { RunGraphs } from '@millrace/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { millrace } from '../api/millrace.ts';
import { noteServerTime } from './follow/server-clock.ts';
import { hasEnded, useRun } from './use-run.ts';

const everyMs = 2_000;

/** Options of loading the graphs of a run. */
interface GraphsOptions {
  /** Loads them again while the run goes on: its journal is too long for the page to fold. */
  readonly isLong?: boolean;
  /** Event after which they are looked at; absent: now. Of a journal that is not too long, the page knows the past. */
  readonly at?: string | undefined;
}

/** Loads the graphs of a run with the state of their nodes as the server has it. */
export function useGraphs(run: string, { isLong = false, at }: GraphsOptions = {}) {
  const { data: facts } = useRun(run);
  const isOver = facts !== undefined && hasEnded(facts);
  const past = isLong ? at : undefined;
  return useQuery({
    queryKey: past === undefined ? ['run', run, 'graph'] : ['run', run, 'graph', past],
    queryFn: async (): Promise<RunGraphs> => {
      const graphs = await millrace.runs.get(run).graph(past);
      noteServerTime(graphs.now);
      return graphs;
    },
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: isLong && past === undefined && !isOver ? everyMs : false,
  });
}
