import type { Picture } from '../../fold/picture.ts';
import { placeOf } from '../../fold/picture.ts';
import type { RunEdge, RunGraph } from '../run-graph.ts';

/** An edge with everything that its picture shows. */
export interface EdgeView extends RunEdge {
  readonly place: string;
  /** Places of its nodes. */
  readonly source: string;
  readonly target: string;
}

/** An edge without the state that a picture has of it. */
interface KnownEdge {
  /** Key of the edge in a picture. */
  readonly key: string;
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
  const placeOfNode = (id: string): string => placeOf(graph.key, indexOf.get(id) ?? -1);
  const edges = graph.edges.map((served) => {
    const { missed: _served, ...edge } = served;
    const key = placeOf(graph.key, edge.index);
    const ends = { place: `edge\n${key}`, source: placeOfNode(edge.from), target: placeOfNode(edge.to) };
    return { key, edge: { ...edge, ...ends }, served: { ...served, ...ends } };
  });
  known.set(graph, edges);
  return edges;
}

/** Returns the edges of a graph as of a picture; without one, as of the server's response. */
export function edgeViewsOf(graph: RunGraph, picture: Picture | undefined): readonly EdgeView[] {
  return edgesOf(graph).map(({ key, edge, served }) => {
    if (picture === undefined) return served;
    const passed = picture.passes.get(key) ?? 0;
    const isMissed = picture.nodes.get(edge.source)?.routes?.includes(edge.index) === false;
    return isMissed ? { ...edge, passed, missed: true } : { ...edge, passed };
  });
}
