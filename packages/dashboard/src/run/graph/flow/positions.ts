import type { Box, Point } from '../layout/geometry.ts';
import { frameAround } from '../layout/geometry.ts';
import type { PlacedGraph } from '../layout/layout.ts';
import type { GraphView } from '../view/graph-view.ts';
import { directEdge, pathThrough, selfLoop } from './edge-path.ts';

/** Positions of the parts of one graph on the canvas. */
export interface Positions {
  /** Boxes of its nodes, by their index. */
  readonly nodes: readonly Box[];
  /** The same boxes by the places of the nodes. */
  readonly boxes: ReadonlyMap<string, Box>;
  readonly edges: readonly EdgePosition[];
  /** Frames of its loops. */
  readonly frames: readonly Box[];
}

interface EdgePosition {
  readonly path: string;
  readonly label: Point;
}

/** Parts of a view on which positions depend: not the states, which change all the time. */
interface Known extends Pick<GraphView, 'graph'> {
  readonly loops: string;
  readonly origin: Point;
  readonly positions: Positions;
}

const known = new WeakMap<PlacedGraph, Known>();

/** Returns the positions of a graph whose upper left corner is at a point; those of the same graph are computed once. */
export function positionsOf(placed: PlacedGraph, view: GraphView, origin: Point): Positions {
  const before = known.get(placed);
  const loops = view.loops.map(({ members }) => members.join(' ')).join('\n');
  const isSame = before?.graph === view.graph && before.loops === loops;
  if (isSame && before.origin.x === origin.x && before.origin.y === origin.y) return before.positions;
  const positions = compute(placed, view, origin);
  known.set(placed, { graph: view.graph, loops, origin, positions });
  return positions;
}

function compute(placed: PlacedGraph, { nodes, edges, loops }: GraphView, { x: left, y: top }: Point): Positions {
  const boxes = placed.nodes.map(({ x, y, width, height }) => ({ x: x + left, y: y + top, width, height }));
  const byId = new Map(nodes.map(({ id }, at) => [id, boxes[at]]));
  const boxOf = (id: string): Box => byId.get(id) ?? { x: left, y: top, width: 0, height: 0 };
  return {
    nodes: boxes,
    boxes: new Map(
      nodes.flatMap(({ place }, at): [string, Box][] => (boxes[at] === undefined ? [] : [[place, boxes[at]]])),
    ),
    edges: edges.map(({ from, to }, at) => {
      const points = (placed.edges[at] ?? []).map(({ x, y }) => ({ x: x + left, y: y + top }));
      return drawnEdge(boxOf(from), boxOf(to), points);
    }),
    frames: loops.map(({ members }) => frameAround(members.flatMap((member) => boxes[member] ?? []))),
  };
}

function drawnEdge(from: Box, to: Box, points: readonly Point[]): EdgePosition {
  if (from === to) return selfLoop(from);
  if (points.length < 2) return directEdge(from, to);
  return { path: pathThrough(points), label: points[Math.floor(points.length / 2)] ?? from };
}
