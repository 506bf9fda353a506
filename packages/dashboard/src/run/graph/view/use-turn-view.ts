import type { RunProjection } from '@millrace/core/projection';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { millrace } from '../../../api/millrace.ts';
import { eventsUpTo } from '../../scrubber/place.ts';
import { useJournal } from '../../use-journal.ts';
import { usePlace } from '../use-place.ts';
import type { GraphView } from './graph-view.ts';
import { loadTurn } from './load-turn.ts';
import type { LoopView } from './loop-view.ts';
import type { TurnView } from './turn-view.ts';
import { turnViewOf } from './turn-view.ts';

interface Looked {
  readonly view: GraphView | undefined;
  readonly projection: RunProjection | undefined;
}

/** Returns the events of the turn in the address; undefined without one, or while it is loaded. */
export function useTurnView(run: string, { view, projection }: Looked): TurnView | undefined {
  const [{ turn, loop, at }] = usePlace();
  const { data } = useJournal(run);
  const picked = turn === undefined ? undefined : view?.loops.find(({ name }) => loop === undefined || name === loop);
  const served = useServedTurn(run, { view, picked, turn, isWanted: data?.isWhole === false });
  const folded = useMemo(() => {
    if (turn === undefined || picked === undefined || data?.isWhole !== true || projection === undefined)
      return undefined;
    const loop = { graph: view?.graph.key ?? '', members: picked.members };
    return turnViewOf(data.events.slice(0, eventsUpTo(data.events, at)), loop, turn);
  }, [turn, picked, view, data, at, projection]);
  return folded ?? served;
}

interface Served {
  readonly view: GraphView | undefined;
  readonly picked: LoopView | undefined;
  readonly turn: number | undefined;
  readonly isWanted: boolean;
}

/** Loads a turn of a run whose journal is too long to be kept. */
function useServedTurn(run: string, { view, picked, turn, isWanted }: Served): TurnView | undefined {
  const newest = newestIn(view, picked);
  const { data } = useQuery({
    queryKey: ['run', run, 'turn', picked?.place, turn],
    queryFn: (): Promise<TurnView | null> => {
      if (view === undefined || picked === undefined || turn === undefined || newest === undefined)
        return Promise.resolve(null);
      return loadTurn(millrace.runs.get(run), { graph: view.graph, members: picked.members, turn, newest });
    },
    enabled: isWanted && picked !== undefined && turn !== undefined,
  });
  return turn === undefined ? undefined : (data ?? undefined);
}

/** Returns the newest activation of the nodes of a loop. */
function newestIn(view: GraphView | undefined, picked: LoopView | undefined): string | undefined {
  const ids = picked?.members.flatMap((member) => view?.nodes[member]?.last ?? []) ?? [];
  return ids.sort((one, other) => Number(other.slice(1)) - Number(one.slice(1)))[0];
}
