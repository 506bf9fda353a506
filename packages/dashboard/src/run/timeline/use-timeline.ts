import type { Activation } from '@millrace/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { millrace } from '../../api/millrace.ts';
import { hasEnded, useRun } from '../use-run.ts';
import type { TimelineRow } from './timeline-row.ts';

/** Loads all activations of a run as rows, and afterwards those that are new or had not settled. */
export function useTimeline(run: string) {
  const queries = useQueryClient();
  const { data: facts } = useRun(run);
  const isOver = facts !== undefined && hasEnded(facts);
  const key = ['run', run, 'timeline', isOver];
  return useQuery({
    queryKey: key,
    queryFn: async (): Promise<readonly TimelineRow[]> => {
      const known = queries.getQueryData<readonly TimelineRow[]>(key) ?? [];
      const firstLive = known.findIndex(({ settledAt }) => settledAt === undefined);
      const kept = known.slice(0, firstLive < 0 ? known.length : firstLive);
      const rows = [...kept];
      const pages = millrace.runs.get(run).activations();
      let cursor = kept.at(-1)?.id;
      for (;;) {
        const page = await pages.page(cursor);
        for (const activation of page.data) rows.push(rowOf(activation));
        if (page.nextCursor === null) return rows;
        cursor = page.nextCursor;
      }
    },
    refetchInterval: isOver ? 15_000 : 2_000,
    placeholderData: (previous) => previous,
  });
}

function rowOf(activation: Activation): TimelineRow {
  const { id, node, graph, state, readyAt, startedAt, settledAt, unit, calls } = activation;
  const prices = calls.flatMap(({ usage }) => (usage?.microUsd === undefined ? [] : [usage.microUsd]));
  return {
    id,
    node,
    graph,
    state,
    readyAt,
    startedAt: startedAt ?? calls[0]?.startedAt,
    settledAt,
    unit,
    ...(prices.length === 0 ? {} : { microUsd: prices.reduce((sum, price) => sum + price, 0) }),
  };
}
