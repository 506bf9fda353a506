import type { RunGraphs } from '@millrace/client';
import { useQuery } from '@tanstack/react-query';
import { millrace } from '../api/millrace.ts';
import { hasEnded, useRun } from './use-run.ts';

/** Loads the graphs of a run with the state of their nodes; again every second while the run goes on. */
export function useGraphs(run: string) {
  const { data: facts } = useRun(run);
  const isOver = facts !== undefined && hasEnded(facts);
  return useQuery({
    queryKey: ['run', run, 'graph', isOver],
    queryFn: (): Promise<RunGraphs> => millrace.runs.get(run).graph(),
    refetchInterval: isOver ? false : 1_000,
    placeholderData: (previous) => previous,
  });
}
