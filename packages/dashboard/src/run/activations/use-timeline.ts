import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { hasEnded } from '../../activations/has-ended.ts';
import type { RowState, TimelineRow } from '../../activations/timeline-row.ts';
import { rowAtEnd, rowsOf } from '../../activations/timeline-row.ts';
import { millrace } from '../../api/millrace.ts';
import { useRun } from '../follow/run-queries.ts';

/** Final states; a failed activation may be retried. */
const settled: ReadonlySet<RowState> = new Set(['completed', 'opened', 'dropped']);

/** Rows with the first words and the digests of their outputs, which the server reads for them. */
const texts = { heads: 'true', digests: 'true' } as const;

/**
 * Loads all activations of a run as rows, and afterwards those that are new or had not settled. `withTexts`: with the
 * first words and the digests of their outputs.
 */
export function useTimeline(run: string, { withTexts = false }: { readonly withTexts?: boolean } = {}) {
  const queries = useQueryClient();
  const wanted = withTexts ? texts : {};
  const key = ['run', run, 'timeline', withTexts] as const;
  const { data: facts } = useRun(run);
  const { data, error, refetch } = useQuery({
    queryKey: key,
    queryFn: async ({ signal }): Promise<readonly TimelineRow[]> => {
      const known = queries.getQueryData<readonly TimelineRow[]>(key) ?? [];
      const firstLive = known.findIndex(({ state }) => !settled.has(state));
      const kept = known.slice(0, firstLive < 0 ? known.length : firstLive);
      const rows = [...kept];
      const handle = millrace.runs.get(run);
      let after = kept.at(-1)?.id;
      do {
        const page = await handle.timeline(after === undefined ? wanted : { ...wanted, after }, { signal });
        for (const row of rowsOf(page)) rows.push(row);
        after = page.nextCursor ?? undefined;
      } while (after !== undefined);
      return rows;
    },
  });
  const finishedAt = facts !== undefined && hasEnded(facts) ? facts.finishedAt : undefined;
  const rows = useMemo(
    () => (finishedAt === undefined ? data : data?.map((row) => rowAtEnd(row, finishedAt))),
    [data, finishedAt],
  );
  return { data: rows, error, refetch };
}
