import { useMemo, useRef } from 'react';
import type { Picture } from '../../fold/picture.ts';
import type { RunGraph } from '../run-graph.ts';
import { edgeViewsOf } from './edge-view.ts';
import type { GraphView } from './graph-view.ts';
import { isSame } from './is-same.ts';
import { loopViewsOf } from './loop-view.ts';
import { nodeViewsOf } from './node-view.ts';

/** Returns graphs as of a picture; unchanged parts keep their identity, so that they are not drawn again. */
export function useGraphViews(
  graphs: readonly RunGraph[],
  picture: Picture | undefined,
): ReadonlyMap<string, GraphView> {
  const known = useRef(new Map<string, { readonly place: string }>());
  return useMemo(() => {
    const keep = <T extends { readonly place: string }>(value: T): T => {
      const before = known.current.get(value.place);
      if (before !== undefined && isSame(before, value)) return before as T; // places name one kind of thing each
      known.current.set(value.place, value);
      return value;
    };
    return new Map(
      graphs.map((graph) => [
        graph.key,
        {
          graph,
          nodes: nodeViewsOf(graph, picture).map(keep),
          edges: edgeViewsOf(graph, picture).map(keep),
          loops: loopViewsOf(graph, picture).map((loop) => keep({ ...loop, place: `loop\n${loop.place}` })),
        },
      ]),
    );
  }, [graphs, picture]);
}
