import { useQuery } from '@tanstack/react-query';
import { millrace } from '../../api/millrace.ts';
import type { LastCalls } from './bill.ts';

/** Number of calls from which the burn rate is computed. */
const mostCalls = 500;

/** Loads the last calls of a run, which began at a time. */
export const useLastCalls = (run: string, startedAt: number) =>
  useQuery({
    queryKey: ['run', run, 'burn'],
    queryFn: async ({ signal }): Promise<LastCalls> => {
      const filter = { order: 'newest', type: 'step.completed', limit: mostCalls } as const;
      const { data: calls, nextCursor } = await millrace.runs.get(run).searchEvents(filter, { signal }).page();
      return { calls, since: nextCursor === null ? startedAt : (calls.at(-1)?.at ?? startedAt) };
    },
  });
