import type { Run } from '@millrace/client';
import { useQuery } from '@tanstack/react-query';
import { millrace } from '../api/millrace.ts';

const ended: ReadonlySet<Run['status']> = new Set(['completed', 'failed', 'cancelled', 'terminated']);

/** Tells whether a run has ended for good; it may be retried or resumed all the same. */
export const hasEnded = ({ status }: Pick<Run, 'status'>): boolean => ended.has(status);

/** Loads a run and keeps it up to date: often while it goes on, seldom once it has ended. */
export function useRun(id: string) {
  return useQuery({
    queryKey: ['run', id],
    queryFn: () => millrace.runs.get(id).describe(),
    refetchInterval: ({ state: { data } }) => (data !== undefined && hasEnded(data) ? 15_000 : 1_000),
  });
}
