import type { RunCounts } from '@millrace/client';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { isStill } from '../../api/live-updates.ts';
import { millrace } from '../../api/millrace.ts';
import { useStore } from '../../api/store.ts';
import { isStreaming, onTenantEvents } from '../../api/tenant-events.ts';
import type { RunFilter } from './run-filter.ts';

const pollMs = 15_000;
/** Time after a change in which other changes are expected, too, in milliseconds. */
const settleMs = 1_000;

/** Loads the numbers of runs by status that the rest of a filter finds, and keeps them up to date. */
export function useRunCounts({ workflow, tag, since, until }: RunFilter) {
  const query = Object.fromEntries(
    Object.entries({ workflow, tag, since, until }).filter(([, value]) => value !== undefined),
  );
  const key = ['runs', 'counts', query] as const;
  const queries = useQueryClient();
  const streams = useStore(isStreaming);
  const still = useStore(isStill);
  const counts = useQuery({
    queryKey: key,
    queryFn: (): Promise<RunCounts> => millrace.runs.counts(query),
    refetchInterval: streams || still ? false : pollMs,
    placeholderData: keepPreviousData,
  });
  const isOfAll = Object.keys(query).length === 0;
  const onCounts = useEffectEvent((counts: RunCounts) => {
    if (isOfAll) queries.setQueryData(key, counts);
  });
  const refresh = useEffectEvent(() => void queries.invalidateQueries({ queryKey: key }));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unsubscribe = onTenantEvents((events) => {
      if (isStill.get()) return;
      for (const event of events) if (event.type === 'counts') onCounts(event.runs);
      if (timer !== undefined || !events.some(({ type }) => ['run', 'removed', 'gap'].includes(type))) return;
      timer = setTimeout(() => {
        timer = undefined;
        refresh();
      }, settleMs);
    });
    return () => {
      unsubscribe();
      clearTimeout(timer);
    };
  }, []);
  return counts;
}
