import type { RunProjection } from '@millrace/core/projection';
import { readNodes } from '@millrace/core/projection';
import { useMemo, useRef } from 'react';
import { hasEnded } from '../../../activations/has-ended.ts';
import { edgeViewsOf } from './edge-view.ts';
import type { GraphView } from './graph-view.ts';
import { loopViewsOf } from './loop-view.ts';
import { nodeAtEnd, nodeViewsOf } from './node-view.ts';
import type { RunGraph } from './run-graph.ts';

/**
 * Returns graphs as of a projection; unchanged parts keep their identity, so that they are not drawn again. `served` is the
 * status of the run from the server, for graphs without a projection.
 */
export function useGraphViews(
  graphs: readonly RunGraph[],
  projection: RunProjection | undefined,
  served?: string,
): ReadonlyMap<string, GraphView> {
  const known = useRef(new Map<string, { readonly place: string }>());
  const isOver = hasEnded({ status: projection?.status ?? served ?? '' });
  return useMemo(() => {
    const keep = <T extends { readonly place: string }>(value: T): T => {
      const before = known.current.get(value.place);
      if (before !== undefined && isSame(before, value)) return before as T; // places name one kind of thing each
      known.current.set(value.place, value);
      return value;
    };
    const shown = projection === undefined ? undefined : { projection, read: readNodes(projection) };
    return new Map(
      graphs.map((graph) => [
        graph.key,
        {
          graph,
          nodes: nodeViewsOf(graph, shown).map((node) => keep(isOver ? nodeAtEnd(node) : node)),
          edges: edgeViewsOf(graph, projection).map(keep),
          loops: loopViewsOf(graph, projection).map((loop) =>
            keep({ ...loop, place: `loop\n${loop.place}`, isLive: loop.isLive && !isOver }),
          ),
        },
      ]),
    );
  }, [graphs, projection, isOver]);
}

type Fields = Readonly<Record<string, unknown>>;

/** Tests if two values of the kinds that JSON has are equal. It compares without texts of them, as it does so for each node of each update. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [before, now] = [one as Fields, other as Fields];
  let fields = 0;
  for (const key in now) {
    fields += 1;
    if (!isSame(before[key], now[key])) return false;
  }
  for (const _ in before) fields -= 1;
  return fields === 0;
}
