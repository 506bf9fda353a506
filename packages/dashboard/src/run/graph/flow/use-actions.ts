import { useEffect, useMemo, useRef } from 'react';
import { useGraphSearch } from '../../follow/use-graph-search.ts';
import type { GraphActions } from './graph-actions.ts';

/** Returns the actions of a graph, by its key; the object keeps its identity. */
export function useActions(key: string, focus: (place: string) => void): GraphActions {
  const [search, move] = useGraphSearch();
  const latest = useRef(search);
  useEffect(() => {
    latest.current = search;
  });
  return useMemo(
    () => ({
      choose: (node) =>
        move({ n: node.id, in: node.key === key ? undefined : node.key, a: undefined, unit: undefined }),
      focus,
      enter: (inner) => move(placeInside(inner), { isStep: true }),
      toggle(inner) {
        const before = latest.current.open ?? [];
        const now = before.includes(inner) ? before.filter((one) => one !== inner) : [...before, inner];
        move({ open: now.length === 0 ? undefined : now });
      },
      pick: (loop, iteration) => move({ iteration, loop: iteration === undefined ? undefined : loop }),
    }),
    [key, focus, move],
  );
}

/** Returns the place that shows the graph of a node as a whole. */
export const placeInside = (key: string) => ({
  g: key === '' ? undefined : key,
  n: undefined,
  in: undefined,
  a: undefined,
  iteration: undefined,
  loop: undefined,
  unit: undefined,
  open: undefined,
});
