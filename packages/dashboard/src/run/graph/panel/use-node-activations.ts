import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { PartBefore, TimelineRow } from '../../../activations/timeline-row.ts';
import { firstPartBefore, loadRows, partBefore } from '../../../activations/timeline-row.ts';
import { millrace } from '../../../api/millrace.ts';
import { eventsUpTo } from '../../follow/place.ts';
import { useJournal } from '../../follow/use-journal.ts';
import type { NodeView } from '../view/node-view.ts';
import type { NodeActivation } from './node-activations.ts';
import { activationsOf } from './node-activations.ts';

/** Activations of a node, in their order, as far as they are loaded. */
export interface NodeActivations {
  /** Undefined while they are loaded. */
  readonly all: readonly NodeActivation[] | undefined;
  /** Number of activations before the first of them. */
  readonly before: number;
  /** Loads earlier ones; absent when the first one is there. */
  readonly loadMore: (() => void) | undefined;
  readonly isLoading: boolean;
}

/** Returns the activations of a node: from the journal, or from the server backwards where that is too long to be kept. */
export function useNodeActivations(
  run: string,
  node: NodeView,
  {
    at,
    chosen,
  }: {
    /** Event of the journal; absent: the newest. */
    readonly at: string | undefined;
    /** Activation that has to be among them. */
    readonly chosen: string | undefined;
  },
): NodeActivations {
  const { data: journal } = useJournal(run);
  const index = Number(node.place.slice(node.key.length + 1));
  const folded = useMemo(() => {
    if (journal?.isWhole !== true) return undefined;
    return activationsOf(journal.events.slice(0, eventsUpTo(journal.events, at)), node.key, index);
  }, [journal, at, node.key, index]);
  const served = useServedActivations(run, node, { chosen, isWanted: journal?.isWhole === false });
  return folded === undefined ? served : { all: folded, before: 0, loadMore: undefined, isLoading: false };
}

function useServedActivations(
  run: string,
  node: NodeView,
  {
    chosen,
    isWanted,
  }: {
    readonly chosen: string | undefined;
    readonly isWanted: boolean;
  },
): NodeActivations {
  const { last } = node;
  const query = useInfiniteQuery({
    queryKey: ['run', run, 'activations-of', node.place, last],
    queryFn: async ({ pageParam, signal }) =>
      (await loadRows(millrace.runs.get(run), pageParam, signal)).filter(
        (row) => row.node === node.id && row.graph === node.key,
      ),
    initialPageParam: firstPartBefore(last ?? 'a0'),
    getNextPageParam: (_page, _pages, part: PartBefore) => partBefore(part),
    placeholderData: keepPreviousData,
    enabled: isWanted && last !== undefined,
  });
  const all = useMemo(() => {
    const loaded = query.data?.pages.toReversed().flatMap((rows) => rows.map(activationOf));
    if (loaded === undefined || chosen === undefined || loaded.some(({ id }) => id === chosen)) return loaded;
    return [{ ...unknown, id: chosen }, ...loaded];
  }, [query.data, chosen]);
  return {
    all: isWanted && last === undefined ? [] : all,
    before: Math.max(0, node.activations - (all?.length ?? 0)),
    loadMore: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    isLoading: query.isFetchingNextPage,
  };
}

/** An activation that is far from those that are loaded. */
const unknown: Omit<NodeActivation, 'id'> = {
  unit: undefined,
  part: '',
  readyAt: 0,
  settledAt: undefined,
  state: 'opened',
  routes: undefined,
};

const activationOf = ({ id, unit, readyAt, settledAt, state }: TimelineRow): NodeActivation => ({
  id,
  unit,
  part: unit === undefined ? 'single' : 'unit',
  readyAt,
  settledAt,
  state: state === 'ready' || state === 'working' || state === 'waiting' || state === 'cancelled' ? 'live' : state,
  routes: undefined,
});
