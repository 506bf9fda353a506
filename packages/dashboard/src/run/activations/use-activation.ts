import type { ActivationDetail } from '@millrace/client';
import { useQuery } from '@tanstack/react-query';
import { millrace } from '../../api/millrace.ts';

const settled: ReadonlySet<ActivationDetail['state']> = new Set(['completed', 'failed', 'dropped', 'opened']);

/** Loads one activation with the beginnings of its messages; again while it has not settled. */
export function useActivation(run: string, activation: string) {
  return useQuery({
    queryKey: ['run', run, 'activation', activation],
    queryFn: () => millrace.runs.get(run).activation(activation, 'heads'),
    refetchInterval: ({ state: { data } }) => (data !== undefined && settled.has(data.state) ? false : 1_500),
  });
}
