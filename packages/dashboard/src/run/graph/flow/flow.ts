import type { Box, Point } from '../layout/geometry.ts';
import { insideMargin } from '../layout/geometry.ts';
import type { PlacedGraph } from '../layout/layout.ts';
import type { EdgeView } from '../view/edge-view.ts';
import type { GraphView } from '../view/graph-view.ts';
import type { LoopView } from '../view/loop-view.ts';
import type { NodeView } from '../view/node-view.ts';
import type { FlowCache } from './flow-cache.ts';
import type { CardData, CardPart, EdgePart, FramePart, GraphEdgeData, LoopFrameData } from './parts.ts';
import { positionsOf } from './positions.ts';

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
