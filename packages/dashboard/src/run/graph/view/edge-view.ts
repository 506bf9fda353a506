import type { RunProjection } from '@millrace/core/projection';
import type { RunEdge, RunGraph } from './run-graph.ts';
import { nodeKeyOf } from './run-graph.ts';

/** An edge with everything that its picture shows. */
export interface EdgeView extends RunEdge {
  readonly place: string;
  /** Places of its nodes. */
  readonly source: string;
  readonly target: string;
}

/** An edge without the state that a projection has of it. */
interface KnownEdge {
  /** Index of its source. */
  readonly from: number;
  readonly edge: EdgeView;
  /** The edge as of the server's response. */
  readonly served: EdgeView;
}

const known = new WeakMap<RunGraph, readonly KnownEdge[]>();

/** Returns the edges of a graph with what no event changes, which is computed once. */
function edgesOf(graph: RunGraph): readonly KnownEdge[] {
  const before = known.get(graph);
  if (before !== undefined) return before;
  const indexOf = new Map(graph.nodes.map(({ id }, index) => [id, index]));
  const indexOfNode = (id: string): number => indexOf.get(id) ?? -1;
  const edges = graph.edges.map((served) => {
    const { missed: _served, ...edge } = served;
    const from = indexOfNode(edge.from);
    const ends = {
      place: `edge\n${nodeKeyOf(graph.key, edge.index)}`,
      source: nodeKeyOf(graph.key, from),
      target: nodeKeyOf(graph.key, indexOfNode(edge.to)),
    };
    return { from, edge: { ...edge, ...ends }, served: { ...served, ...ends } };
  });
  known.set(graph, edges);
  return edges;
}

/** Returns the edges of a graph as of a projection; without one, as of the server's response. */
export function edgeViewsOf(graph: RunGraph, projection: RunProjection | undefined): readonly EdgeView[] {
  const known = projection?.graphs.get(graph.key);
  return edgesOf(graph).map(({ from, edge, served }) => {
    if (projection === undefined) return served;
    const passed = known?.passed.get(edge.index) ?? 0;
    const isMissed = known?.nodes.get(from)?.passed?.includes(edge.index) === false;
    return isMissed ? { ...edge, passed, missed: true } : { ...edge, passed };
  });
}
