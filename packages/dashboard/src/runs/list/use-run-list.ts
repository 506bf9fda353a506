import type { RunLine } from '@millrace/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import { isStill, useLiveOptions } from '../../api/live-updates.ts';
import { millrace } from '../../api/millrace.ts';
import { useStore } from '../../api/store.ts';
import { onTenantEvents } from '../../api/tenant-events.ts';
import type { RunFilter } from '../filter/run-filter.ts';
import { isFound, queryOf } from '../filter/run-filter.ts';
import type { LoadedPage, RunPages } from './run-pages.ts';
import { pageSize, pruned, withChange, withFirstPage, withPage } from './run-pages.ts';

/** The list of runs that a filter finds. */
export interface RunListState {
  readonly list: RunPages | undefined;
  readonly error: unknown;
  /** Time of the server's last response about the beginning of the list, in milliseconds since 1970. */
  readonly updatedAt: number;
  /** Loads a page by its number: the one after the last, or one that was not kept. */
  readonly load: (page: number) => void;
  readonly retry: () => void;
}

/** Loads the runs that a filter finds, and keeps them up to date. While `holds`, runs that no longer match are kept. */
export function useRunList(filter: RunFilter, holds: boolean): RunListState {
  const queries = useQueryClient();
  const key = ['runs', 'list', filter] as const;
  const { refetchInterval } = useLiveOptions();
  const still = useStore(isStill);
  const first = useQuery({
    queryKey: key,
    queryFn: async () => withFirstPage(queries.getQueryData(key), await loadPage(filter, {})),
    // Contents are searched run by run, so only when somebody asks.
    refetchInterval: filter.text === undefined ? refetchInterval : false,
    enabled: !still || queries.getQueryData(key) === undefined,
  });
  const change = useEffectEvent((alter: (known: RunPages) => RunPages) =>
    queries.setQueryData<RunPages>(key, (known) => known && alter(known)),
  );
  const onRuns = useEffectEvent((runs: readonly RunLine[]) =>
    change((known) =>
      runs.reduce((list, run) => withChange(list, { run, isFound: isShown(filter, list, run), keeps: holds }), known),
    ),
  );
  const [removed] = useState(() => new Set<string>());
  const prune = useEffectEvent(() => {
    change((known) => pruned(known, (run) => isFound(filter, run) && !removed.has(run.runId)));
    removed.clear();
  });
  const onRemoved = useEffectEvent((runs: readonly string[]) => {
    for (const run of runs) removed.add(run);
    if (runs.length > 0 && !holds) prune();
  });
  const onGap = useEffectEvent(() => void first.refetch());
  useEffect(
    () =>
      onTenantEvents((events) => {
        if (isStill.get()) return;
        if (events.some(({ type }) => type === 'gap')) onGap();
        onRuns(events.flatMap((event) => (event.type === 'run' ? [event.run] : [])));
        onRemoved(events.flatMap((event) => (event.type === 'removed' ? [event.runId] : [])));
      }),
    [],
  );
  useEffect(() => {
    if (!holds) prune();
  }, [holds]);
  const { error, load, retry } = usePageLoader(filter, first.data);
  return {
    list: first.data,
    error: first.error ?? error,
    updatedAt: first.dataUpdatedAt,
    load,
    retry: () => (first.error === null ? retry() : void first.refetch()),
  };
}

/** Returns whether a list shows a changed run. Its line does not tell its contents, so a search of them is joined by no run. */
const isShown = (filter: RunFilter, list: RunPages, run: RunLine): boolean =>
  isFound(filter, run) &&
  (filter.text === undefined || list.pages.some(({ runs = [] }) => runs.some(({ runId }) => runId === run.runId)));

/** Loads pages behind the first one, one at a time. */
function usePageLoader(filter: RunFilter, list: RunPages | undefined) {
  const queries = useQueryClient();
  const key = JSON.stringify(filter);
  const [failed, setFailed] = useState<{ readonly key: string; readonly error: unknown }>();
  const [loading] = useState(() => new Set<string>());
  const isFailed = failed?.key === key;
  const load = useCallback(
    async (at: number) => {
      const cursor = list === undefined ? null : cursorOf(list, at);
      if (cursor === null || loading.has(key) || isFailed) return;
      loading.add(key);
      try {
        const page = await loadPage(filter, cursor);
        queries.setQueryData<RunPages>(['runs', 'list', filter], (known) => known && withPage(known, at, page));
      } catch (error) {
        setFailed({ key, error });
      } finally {
        loading.delete(key);
      }
    },
    [filter, key, list, queries, loading, isFailed],
  );
  return {
    error: isFailed ? failed.error : null,
    load: (page: number) => void load(page),
    retry: () => setFailed(undefined),
  };
}

/** Start of a page: a cursor, or the moment after the newest run that the first page had. */
interface PageStart {
  readonly cursor?: string;
  readonly until?: string;
}

/** Returns the start of a page by its number; null when there is none. */
function cursorOf({ pages, next }: RunPages, at: number): PageStart | null {
  const page = pages[at];
  if (page === undefined) return next === null ? null : { cursor: next };
  return page.cursor === undefined ? { until: String(page.newestAt + 1) } : { cursor: page.cursor };
}

/** Loads one page of the runs that a filter finds. */
export function loadPage(filter: RunFilter, { cursor, until }: PageStart): Promise<LoadedPage> {
  const query = { ...queryOf(filter), ...(until === undefined ? {} : { until }) };
  // A page of this list also has the number of runs that were read, which the type of pages lacks.
  return millrace.runs.list({ ...query, limit: pageSize }).page(cursor) as Promise<LoadedPage>;
}
