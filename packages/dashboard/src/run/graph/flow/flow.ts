import type { Box, Point } from '../layout/geometry.ts';
import { aboveHeads, frameAround, insideMargin } from '../layout/geometry.ts';
import type { PlacedGraph } from '../layout/layout.ts';
import type { EdgeView } from '../view/edge-view.ts';
import type { GraphView } from '../view/graph-view.ts';
import type { LoopView } from '../view/loop-view.ts';
import type { NodeView } from '../view/node-view.ts';
import type { FlowCache } from './flow-cache.ts';
import type { CardData, CardPart, EdgePart, FramePart, GraphEdgeData, LoopFrameData } from './parts.ts';

/** Parts of the canvas that do not come from the run. */
export interface FlowContext<Data extends CardData> {
  /** Views by the keys of their graphs. */
  readonly views: ReadonlyMap<string, GraphView>;
  readonly cache: FlowCache;
  card(node: NodeView): Data;
  edge(edge: EdgeView): Pick<GraphEdgeData, 'isDimmed'>;
  loop(loop: LoopView): Omit<LoopFrameData, 'loop'>;
}

/** Nodes, frames and edges of the canvas, and where the nodes are. Parts that have not changed keep their identity. */
export interface Flow<Data extends CardData> {
  readonly nodes: readonly (CardPart<Data> | FramePart)[];
  readonly edges: readonly EdgePart[];
  /** Boxes of the nodes by their places. */
  readonly boxes: ReadonlyMap<string, Box>;
  /** Boxes of the frames of loops. */
  readonly frames: readonly Box[];
}

/** Upper left corner of a graph, and the number of graphs that it lies in. */
interface Origin extends Point {
  readonly depth: number;
}

/** Returns the nodes and edges of a placed graph, and those of the graphs that are open inside it. */
export function flowOf<Data extends CardData>(
  placed: PlacedGraph,
  context: FlowContext<Data>,
  origin: Origin = { x: 0, y: 0, depth: 0 },
): Flow<Data> {
  const view = context.views.get(placed.key);
  if (view === undefined) return { nodes: [], edges: [], boxes: new Map(), frames: [] };
  const { cache } = context;
  const { depth } = origin;
  const positions = positionsOf(placed, view, origin);
  const inner = placed.nodes.flatMap((node) => {
    if (node.inner === undefined) return [];
    const side = (node.width - node.inner.width) / 2;
    const corner = { x: origin.x + node.x + side, y: origin.y + node.y + insideMargin.top };
    return [flowOf(node.inner, context, { ...corner, depth: depth + 1 })];
  });
  const frames = view.loops.flatMap((loop, at) => {
    const box = positions.frames[at];
    return box === undefined ? [] : cache.keep(frameNode(loop, { box, depth }, context));
  });
  const cards = view.nodes.flatMap((node, at) => {
    const box = positions.nodes[at];
    return box === undefined ? [] : cache.keep(cardNode(node, { box, depth }, context));
  });
  const edges = view.edges.flatMap((edge, at) => {
    const position = positions.edges[at];
    return position === undefined ? [] : cache.keep({ id: edge.place, edge, ...position, ...context.edge(edge) });
  });
  return {
    frames: [...positions.frames, ...inner.flatMap((one) => one.frames)],
    nodes: [...frames, ...cards, ...inner.flatMap(({ nodes }) => nodes)],
    edges: [...edges, ...inner.flatMap((one) => one.edges)],
    boxes:
      inner.length === 0
        ? positions.boxes
        : new Map([positions.boxes, ...inner.map((one) => one.boxes)].flatMap((one) => [...one])),
  };
}

/** Returns the layer below edges: the frames of a graph lie on the node that the graph is open in. */
const layerBehind = (depth: number, isFrame: boolean): number => 2 * depth + (isFrame ? 1 : 0);

/** Position of a card or a frame, and the number of graphs that it lies in. */
interface PartBox {
  readonly box: Box;
  readonly depth: number;
}

function cardNode<Data extends CardData>(
  node: NodeView,
  { box, depth }: PartBox,
  context: FlowContext<Data>,
): CardPart<Data> {
  const card = context.card(node);
  const layer = card.isOpen ? layerBehind(depth + 1, false) : undefined;
  return { ...card, type: 'card', id: node.place, box, layer, node };
}

function frameNode(loop: LoopView, { box, depth }: PartBox, context: Pick<FlowContext<CardData>, 'loop'>): FramePart {
  return { type: 'frame', id: loop.place, box, layer: layerBehind(depth, true), ...context.loop(loop), loop };
}

/** Positions of the parts of one graph on the canvas. */
interface Positions {
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
interface FlowCacheEntry extends Pick<GraphView, 'graph'> {
  readonly loops: string;
  readonly origin: Point;
  readonly positions: Positions;
}

const known = new WeakMap<PlacedGraph, FlowCacheEntry>();

/** Returns the positions of a graph whose upper left corner is at a point; those of the same graph are computed once. */
function positionsOf(placed: PlacedGraph, view: GraphView, origin: Point): Positions {
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
  const frames = loops.map(({ members }) => frameAround(members.flatMap((member) => boxes[member] ?? [])));
  return {
    nodes: boxes,
    boxes: new Map(
      nodes.flatMap(({ place }, at): [string, Box][] => (boxes[at] === undefined ? [] : [[place, boxes[at]]])),
    ),
    edges: edges.map(({ from, to }, at) => {
      const points = (placed.edges[at] ?? []).map(({ x, y }) => ({ x: x + left, y: y + top }));
      const { path, label } = drawnEdge(boxOf(from), boxOf(to), points);
      return { path, label: aboveHeads(label, frames) };
    }),
    frames,
  };
}

function drawnEdge(from: Box, to: Box, points: readonly Point[]): EdgePosition {
  if (from === to) return selfLoop(from);
  if (points.length < 2) return directEdge(from, to);
  return { path: pathThrough(points), label: points[Math.floor(points.length / 2)] ?? from };
}

/** Returns the path through points with round corners: a curve from the middle of each part to that of the next. */
function pathThrough(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (first === undefined || last === undefined) return '';
  const curves = rest.slice(0, -1).map((point, at) => {
    const next = rest[at + 1] ?? last;
    const end = at === rest.length - 2 ? next : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q${point.x},${point.y} ${end.x},${end.y}`;
  });
  return `M${first.x},${first.y}${curves.length === 0 ? `L${last.x},${last.y}` : curves.join('')}`;
}

/** Returns the path from a node back to itself, at its right side, and the place of its label. */
function selfLoop({ x, y, width, height }: Box): { readonly path: string; readonly label: Point } {
  const right = x + width;
  const [from, to] = [y + height * 0.72, y + height * 0.28];
  const out = right + 34;
  return {
    path: `M${right},${from}C${out},${from} ${out},${to} ${right},${to}`,
    label: { x: out - 4, y: (from + to) / 2 },
  };
}

/** Returns the path between two nodes for which the layout has no points. */
function directEdge(from: Box, to: Box): { readonly path: string; readonly label: Point } {
  const start = { x: from.x + from.width / 2, y: from.y + from.height };
  const end = { x: to.x + to.width / 2, y: to.y };
  const bend = Math.max(30, Math.abs(end.y - start.y) / 2);
  return {
    path: `M${start.x},${start.y}C${start.x},${start.y + bend} ${end.x},${end.y - bend} ${end.x},${end.y}`,
    label: { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 },
  };
}
