import type { RunGraphs } from '@millrace/client';
import { useQuery } from '@tanstack/react-query';
import { millrace } from '../api/millrace.ts';
import { hasEnded, useRun } from './use-run.ts';

const everyMs = 2_000;

/** Options of loading the graphs of a run. */
interface GraphsOptions {
  /** Loads them again while the run goes on, for what events do not tell. */
  readonly again?: boolean;
}

/** Loads the graphs of a run with the state of their nodes as the server has it. */
export function useGraphs(run: string, { again = false }: GraphsOptions = {}) {
  const { data: facts } = useRun(run);
  const isOver = facts !== undefined && hasEnded(facts);
  return useQuery({
    queryKey: ['run', run, 'graph'],
    queryFn: (): Promise<RunGraphs> => millrace.runs.get(run).graph(),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: again && !isOver ? everyMs : false,
  });
}
