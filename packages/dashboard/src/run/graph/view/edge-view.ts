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

/** Returns the edges of a graph as of a picture; without one, as of the server's response. */
export function edgeViewsOf(graph: RunGraph, picture: Picture | undefined): readonly EdgeView[] {
  const indexOf = new Map(graph.nodes.map(({ id }, index) => [id, index]));
  return graph.edges.map(({ missed: _served, ...edge }, at) => {
    const [source, target] = [edge.from, edge.to].map((id) => placeOf(graph.key, indexOf.get(id) ?? -1));
    const ends = { place: `edge\n${placeOf(graph.key, edge.index)}`, source: source ?? '', target: target ?? '' };
    if (picture === undefined) return { ...(graph.edges[at] ?? edge), ...ends };
    const passed = picture.passes.get(placeOf(graph.key, edge.index)) ?? 0;
    const missed = picture.nodes.get(ends.source)?.routes?.includes(edge.index) === false;
    return { ...edge, ...ends, passed, ...(missed ? { missed: true as const } : {}) };
  });
}
