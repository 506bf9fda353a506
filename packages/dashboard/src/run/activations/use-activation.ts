import type { ActivationDetail } from '@millrace/client';
import { useQuery } from '@tanstack/react-query';
import { millrace } from '../../api/millrace.ts';

/** Final states; a failed activation may be retried. */
const settled: ReadonlySet<ActivationDetail['state']> = new Set(['completed', 'dropped', 'opened']);

/** Loads one activation with the beginnings of its messages; events of its run lead to it being read again until it has settled. */
export function useActivation(run: string, activation: string) {
  return useQuery({
    queryKey: ['run', run, 'activation', activation],
    queryFn: ({ signal }) => millrace.runs.get(run).activation(activation, 'heads', { signal }),
    staleTime: ({ state: { data } }) => (data !== undefined && settled.has(data.state) ? 'static' : 0),
  });
}
