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

/** Activations of the first page, which is there at once however long the run is, and of those that follow. */
const firstPage = 400;
const nextPages = 2_000;

/**
 * Loads all activations of a run as rows, page by page: rows appear as they come. Afterwards it loads those that are new or had
 * not settled. `withTexts`: with the first words and the digests of their outputs.
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
      let rows = known.slice(0, firstLive < 0 ? known.length : firstLive);
      for await (const more of pagesAfter(run, { known: rows, wanted, signal })) {
        rows = [...rows, ...more];
        // What is there is shown, and kept if this is aborted.
        if (rows.length > known.length) queries.setQueryData(key, rows);
      }
      return rows;
    },
  });
  const finishedAt = facts !== undefined && hasEnded(facts) ? facts.finishedAt : undefined;
  const rows = useMemo(
    () => (finishedAt === undefined ? data : data?.map((row) => rowAtEnd(row, finishedAt))),
    [data, finishedAt],
  );
  /** Number of activations that are not loaded yet. */
  const missing = Math.max(0, (facts?.activations ?? 0) - (rows?.length ?? 0));
  return { data: rows, missing, error, refetch };
}

interface PageRequest {
  /** The rows before the first page. */
  readonly known: readonly TimelineRow[];
  readonly wanted: Partial<typeof texts>;
  readonly signal: AbortSignal;
}

/** Yields the rows after those that are known, page by page; the first page of a run is a small one. */
async function* pagesAfter(
  run: string,
  { known, wanted, signal }: PageRequest,
): AsyncGenerator<readonly TimelineRow[]> {
  const handle = millrace.runs.get(run);
  let after = known.at(-1)?.id;
  do {
    const range = after === undefined ? { limit: firstPage } : { limit: nextPages, after };
    const page = await handle.timeline({ ...wanted, ...range }, { signal });
    yield rowsOf(page);
    after = page.nextCursor ?? undefined;
  } while (after !== undefined);
}
