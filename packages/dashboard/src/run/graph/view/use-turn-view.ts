import { useMemo } from 'react';
import type { Picture } from '../../fold/picture.ts';
import { eventsUpTo } from '../../scrubber/place.ts';
import { useJournal } from '../../use-journal.ts';
import type { GraphView } from '../canvas/flow.ts';
import { usePlace } from '../use-place.ts';
import type { TurnView } from './turn-view.ts';
import { turnViewOf } from './turn-view.ts';

interface Looked {
  readonly view: GraphView | undefined;
  readonly picture: Picture | undefined;
}

/** Returns what happened in the turn that the address names; undefined when it names none. */
export function useTurnView(run: string, { view, picture }: Looked): TurnView | undefined {
  const [{ turn, loop, at }] = usePlace();
  const { data } = useJournal(run);
  const picked = view?.loops.find(({ name }) => loop === undefined || name === loop)?.place.slice('loop\n'.length);
  return useMemo(() => {
    if (turn === undefined || picked === undefined || data === undefined || picture === undefined) return undefined;
    return turnViewOf(data.events.slice(0, eventsUpTo(data.events, at)), picked, turn);
  }, [turn, picked, data, at, picture]);
}
