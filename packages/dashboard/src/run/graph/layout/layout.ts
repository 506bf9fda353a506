import dagre from '@dagrejs/dagre';
import type { Box, Point, Size } from './geometry.ts';
import { frameAround, insideMargin, overlap } from './geometry.ts';

/** The parts of one graph that its picture depends on. */
export interface Shape {
  readonly key: string;
  readonly nodes: readonly ShapeNode[];
  readonly edges: readonly { readonly from: number; readonly to: number }[];
  /** Indices of the nodes of each loop. */
  readonly loops: readonly (readonly number[])[];
}

/** A node in a shape: its size while it is closed, and the key of the graph inside it. */
interface ShapeNode extends Size {
  readonly inner?: string;
}

/** A graph in its place: positions are relative to its upper left corner. */
export interface PlacedGraph extends Size {
  readonly key: string;
  readonly nodes: readonly PlacedNode[];
  /** Course of each edge around the nodes; empty where there is none: a curve is drawn instead. */
  readonly edges: readonly (readonly Point[])[];
}

/** A node in its place, with the graph inside it if that is open. */
export interface PlacedNode extends Point, Size {
  readonly inner?: PlacedGraph;
}

/** Request to the worker that places graphs. */
export interface LayoutRequest {
  readonly id: number;
  readonly shapes: readonly Shape[];
  readonly key: string;
  /** Keys of the graphs that are open inside their nodes. */
  readonly open: readonly string[];
}

/** Room that is left for the label of an edge, in pixels. */
const label = { width: 72, height: 16, labelpos: 'c' } as const;

/** Places a graph; graphs inside it that are open are placed first, so that their node has the size of their picture. */
export function layout(shapes: ReadonlyMap<string, Shape>, key: string, open: ReadonlySet<string>): PlacedGraph {
  const shape = shapes.get(key);
  if (shape === undefined) return { key, width: 0, height: 0, nodes: [], edges: [] };
  const inside = shape.nodes.map(({ inner }) =>
    inner !== undefined && open.has(inner) && inner !== key ? layout(shapes, inner, open) : undefined,
  );
  const sizes = shape.nodes.map((node, at) => sizeWith(node, inside[at]));
  const { nodes, edges } = moveOutsiders(place(shape, sizes), shape);
  const placed = nodes.map((node, at) => {
    const inner = inside[at];
    return inner === undefined ? node : { ...node, inner };
  });
  return { key, nodes: placed, edges, ...extent(nodes) };
}

function sizeWith({ width, height }: Size, inner: PlacedGraph | undefined): Size {
  if (inner === undefined) return { width, height };
  return {
    width: Math.max(width, inner.width + 2 * insideMargin.side),
    height: inner.height + insideMargin.top + insideMargin.bottom,
  };
}

const extent = (nodes: readonly (Point & Size)[]): Size => ({
  width: Math.max(0, ...nodes.map(({ x, width }) => x + width)),
  height: Math.max(0, ...nodes.map(({ y, height }) => y + height)),
});

/** Places the nodes of one graph in rows from top to bottom, and leads the edges around them. */
function place({ nodes, edges }: Shape, sizes: readonly Size[]): Pick<PlacedGraph, 'nodes' | 'edges'> {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  const ranker = nodes.length > 200 ? 'tight-tree' : 'network-simplex';
  graph.setGraph({ rankdir: 'TB', nodesep: 56, edgesep: 28, ranksep: 44, ranker });
  for (const [at, { width, height }] of sizes.entries()) graph.setNode(String(at), { width, height });
  for (const [at, { from, to }] of edges.entries())
    if (from !== to) graph.setEdge(String(from), String(to), { ...label }, String(at));
  dagre.layout(graph);
  return {
    nodes: sizes.map(({ width, height }, at) => {
      const { x, y } = graph.node(String(at));
      return { x: x - width / 2, y: y - height / 2, width, height };
    }),
    edges: edges.map(({ from, to }, at) =>
      from === to
        ? []
        : (graph.edge({ v: String(from), w: String(to), name: String(at) }) as { points: readonly Point[] }).points,
    ),
  };
}

interface Placement {
  readonly nodes: readonly Box[];
  readonly edges: readonly (readonly Point[])[];
}

interface Loops {
  readonly edges: readonly { readonly from: number; readonly to: number }[];
  readonly loops: readonly (readonly number[])[];
}

/** Room between the frame of a loop and a node beside it, in pixels. */
const gap = 36;

/**
 * Moves nodes that do not belong to a loop, but would be in its frame, to the side of it, with all nodes beyond them.
 * Their edges lose their points.
 */
function moveOutsiders({ nodes: placed, edges }: Placement, { loops, edges: ends }: Loops): Placement {
  const nodes = [...placed];
  const moved = new Set<number>();
  for (const members of loops) {
    const inside = new Set(members);
    const frame = frameAround(members.flatMap((member) => nodes[member] ?? []));
    const outsiders = nodes.flatMap((box, at) => (!inside.has(at) && overlap(box, frame) ? [at] : []));
    if (outsiders.length === 0) continue;
    const leftmost = Math.min(...outsiders.map((at) => nodes[at]?.x ?? 0));
    const by = frame.x + frame.width + gap - leftmost;
    for (const [at, box] of nodes.entries()) {
      const isBeyond = box.x >= leftmost && box.y < frame.y + frame.height && frame.y < box.y + box.height;
      if (inside.has(at) || !(outsiders.includes(at) || isBeyond)) continue;
      nodes[at] = { ...box, x: box.x + by };
      moved.add(at);
    }
  }
  if (moved.size === 0) return { nodes: placed, edges };
  return {
    nodes,
    edges: edges.map((points, at) => {
      const { from, to } = ends[at] ?? { from: -1, to: -1 };
      return moved.has(from) || moved.has(to) ? [] : points;
    }),
  };
}
