import type { RunEvent } from '@millrace/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { millrace } from '../api/millrace.ts';
import { hasEnded, useRun } from './use-run.ts';

/** Events that are loaded for one run; of a longer journal the rest is not shown in time. */
const mostEvents = 20_000;

/** The journal of a run as far as it is loaded. */
export interface Journal {
  readonly events: readonly RunEvent[];
  /** True when these are all events there are now. */
  readonly isWhole: boolean;
}

/** Loads the journal of a run, and afterwards only what has been added to it. */
export function useJournal(run: string) {
  const queries = useQueryClient();
  const { data: facts } = useRun(run);
  const key = ['run', run, 'whole-journal'];
  return useQuery({
    queryKey: key,
    queryFn: async (): Promise<Journal> => {
      const known = queries.getQueryData<Journal>(key)?.events ?? [];
      const added: RunEvent[] = [];
      const pages = millrace.runs.get(run).journal(known.at(-1)?.id);
      for await (const event of pages) {
        added.push(event);
        if (known.length + added.length >= mostEvents) return { events: known.concat(added), isWhole: false };
      }
      return { events: added.length === 0 ? known : known.concat(added), isWhole: true };
    },
    refetchInterval: ({ state: { data } }) => {
      const isOver = facts !== undefined && hasEnded(facts);
      return data?.isWhole === false ? false : isOver ? 15_000 : 1_000;
    },
  });
}
