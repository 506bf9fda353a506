import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { hasEnded } from '../../activations/has-ended.ts';
import type { TimelineRow } from '../../activations/timeline-row.ts';
import { rowAtEnd, rowsOf } from '../../activations/timeline-row.ts';
import { millrace } from '../../api/millrace.ts';
import { useRun } from '../follow/run-queries.ts';
import { unsettledRanges } from './unsettled-ranges.ts';

/** Rows with the first words and the digests of their outputs, which the server reads for them. */
const texts = { heads: 'true', digests: 'true' } as const;

/** Activations of the first page, which is there at once however long the run is, and of those that follow. */
const firstPage = 400;
const nextPages = 2_000;
/** Activations that are loaded unasked, and with each further step. */
const portion = 10_000;
/** Failed activations that are shown of a run that is not loaded to its end. */
const mostFailed = 200;

/**
 * Loads activations of a run as rows, page by page: rows appear as they come. Of a long run, the first 10,000 are loaded, and
 * more on demand; its failed ones are there at once. Afterwards it loads those that are new or had not settled. `withTexts`:
 * with the first words and the digests of their outputs.
 */
export function useTimeline(run: string, { withTexts = false }: { readonly withTexts?: boolean } = {}) {
  const queries = useQueryClient();
  const wanted = withTexts ? texts : {};
  const key = ['run', run, 'timeline', withTexts] as const;
  // Runs are compared to their ends.
  const most = useRef(withTexts ? Number.POSITIVE_INFINITY : portion);
  const { data: facts } = useRun(run);
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: key,
    queryFn: async ({ signal }): Promise<readonly TimelineRow[]> => {
      const known = queries.getQueryData<readonly TimelineRow[]>(key) ?? [];
      let rows = await reloaded(run, { known, wanted, signal });
      if (rows.length >= most.current) return rows;
      for await (const more of pagesAfter(run, { known: rows, wanted, signal })) {
        rows = [...rows, ...more];
        // What is there is shown, and kept if this is aborted.
        queries.setQueryData(key, rows);
        if (rows.length >= most.current) break;
      }
      return rows;
    },
  });
  const missing = Math.max(0, (facts?.activations ?? 0) - (data?.length ?? 0));
  const failed = useFailed(run, { isWanted: data !== undefined && data.length >= portion && missing > 0 });
  const finishedAt = facts !== undefined && hasEnded(facts) ? facts.finishedAt : undefined;
  const rows = useMemo(() => {
    const newest = Number(data?.at(-1)?.id.slice(1) ?? 0);
    const all = data === undefined ? undefined : [...data, ...failed.filter(({ id }) => Number(id.slice(1)) > newest)];
    return finishedAt === undefined ? all : all?.map((row) => rowAtEnd(row, finishedAt));
  }, [data, failed, finishedAt]);
  const loadMore = () => {
    most.current = (data?.length ?? 0) + portion;
    void refetch();
  };
  return {
    data: rows,
    /** Number of activations that are not loaded. */
    missing,
    /** Loads more of them; absent while some are being loaded, or when all are there. */
    loadMore: missing > 0 && !isFetching ? loadMore : undefined,
    error,
    refetch,
  };
}

const none: readonly TimelineRow[] = [];

/** Returns the failed activations of a run, which the server finds without reading the run. */
function useFailed(run: string, { isWanted }: { readonly isWanted: boolean }): readonly TimelineRow[] {
  const { data = none } = useQuery({
    queryKey: ['run', run, 'failed activations'],
    queryFn: async ({ signal }): Promise<readonly TimelineRow[]> => {
      const { data: found } = await millrace.runs
        .get(run)
        .activations({ state: 'failed', limit: mostFailed }, { signal })
        .page();
      return found.map(({ usage, ...activation }) => ({ ...activation, microUsd: usage?.microUsd }));
    },
    enabled: isWanted,
  });
  return data;
}

interface RowsRequest {
  /** The rows before the first page. */
  readonly known: readonly TimelineRow[];
  readonly wanted: Partial<typeof texts>;
  readonly signal: AbortSignal;
}

/** Returns the known rows with those that had not settled as they are now. */
async function reloaded(run: string, { known, wanted, signal }: RowsRequest): Promise<readonly TimelineRow[]> {
  const rows = [...known];
  for (const { from, count } of unsettledRanges(known, nextPages)) {
    const before = known[from - 1]?.id;
    const range = before === undefined ? { limit: count } : { limit: count, after: before };
    const page = await millrace.runs.get(run).timeline({ ...wanted, ...range }, { signal });
    rows.splice(from, count, ...rowsOf(page));
  }
  return rows;
}

/** Yields the rows after those that are known, page by page; the first page of a run is a small one. */
async function* pagesAfter(
  run: string,
  { known, wanted, signal }: RowsRequest,
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
