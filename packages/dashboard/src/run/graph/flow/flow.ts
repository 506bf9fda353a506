import type { Box, Point } from '../layout/geometry.ts';
import { frameAround, insideMargin } from '../layout/geometry.ts';
import type { PlacedGraph } from '../layout/layout.ts';
import type { RunGraph } from '../run-graph.ts';
import type { EdgeView } from '../view/edge-view.ts';
import type { LoopView } from '../view/loop-view.ts';
import type { NodeView } from '../view/node-view.ts';
import { labelOf } from './edge-label.ts';
import { directEdge, pathThrough, selfLoop } from './edge-path.ts';
import type { FlowCache } from './flow-cache.ts';
import type { CardData, CardPart, EdgePart, FramePart, GraphEdgeData, LoopFrameData } from './parts.ts';

/** One graph with everything that its picture shows. */
export interface GraphView {
  readonly graph: RunGraph;
  readonly nodes: readonly NodeView[];
  readonly edges: readonly EdgeView[];
  readonly loops: readonly LoopView[];
}

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
  /** Boxes of the frames of loops and of the labels of edges. */
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
  const boxes = placed.nodes.map(({ x, y, width, height }) => ({ x: x + origin.x, y: y + origin.y, width, height }));
  const inner = placed.nodes.flatMap((node) => {
    if (node.inner === undefined) return [];
    const side = (node.width - node.inner.width) / 2;
    const corner = { x: origin.x + node.x + side, y: origin.y + node.y + insideMargin.top };
    return [flowOf(node.inner, context, { ...corner, depth: origin.depth + 1 })];
  });
  const indexOf = new Map(view.nodes.map(({ id }, at) => [id, at]));
  const boxOf = (id: string): Box => boxes[indexOf.get(id) ?? -1] ?? { ...origin, width: 0, height: 0 };
  const frames = view.loops.map((loop) => frameAround(loop.members.flatMap((member) => boxes[member] ?? [])));
  const edges = view.edges.map((edge, at) => {
    const points = (placed.edges[at] ?? []).map(({ x, y }) => ({ x: x + origin.x, y: y + origin.y }));
    return context.cache.keep(edgeOf(edge, { points, from: boxOf(edge.from), to: boxOf(edge.to) }, context.edge(edge)));
  });
  return {
    frames: [...frames, ...edges.map(labelBox), ...inner.flatMap((one) => one.frames)],
    nodes: [
      ...view.loops.map((loop) => context.cache.keep(frameNode(loop, { boxes, depth: origin.depth }, context))),
      ...view.nodes.flatMap((node, at) =>
        cardNode(node, { box: boxes[at], depth: origin.depth }, context).map(context.cache.keep),
      ),
      ...inner.flatMap(({ nodes }) => nodes),
    ],
    edges: [...edges, ...inner.flatMap((one) => one.edges)],
    boxes: new Map([
      ...view.nodes.flatMap(({ place }, at): [string, Box][] => (boxes[at] === undefined ? [] : [[place, boxes[at]]])),
      ...inner.flatMap((one) => [...one.boxes]),
    ]),
  };
}

/** Width of a character of a label, and height of a label, in pixels. */
const letter = { width: 6.5, height: 16 } as const;

/** Returns the box that the label of an edge takes, more or less. */
function labelBox({ edge, label: { x, y } }: EdgePart): Box {
  const width = labelOf(edge).length * letter.width;
  return { x: x - width / 2, y: y - letter.height / 2, width, height: letter.height };
}

/** Returns the layer below edges: the frames of a graph lie on the node that the graph is open in. */
const layerBehind = (depth: number, isFrame: boolean): number => 2 * depth + (isFrame ? 1 : 0);

interface CardBox {
  readonly box: Box | undefined;
  readonly depth: number;
}

function cardNode<Data extends CardData>(
  node: NodeView,
  { box, depth }: CardBox,
  context: FlowContext<Data>,
): CardPart<Data>[] {
  if (box === undefined) return [];
  const card = context.card(node);
  const layer = card.isOpen ? layerBehind(depth + 1, false) : undefined;
  return [{ ...card, type: 'card', id: node.place, box, layer, node }];
}

interface FrameBoxes {
  readonly boxes: readonly Box[];
  readonly depth: number;
}

function frameNode(
  loop: LoopView,
  { boxes, depth }: FrameBoxes,
  context: Pick<FlowContext<CardData>, 'loop'>,
): FramePart {
  return {
    type: 'frame',
    id: loop.place,
    box: frameAround(loop.members.flatMap((member) => boxes[member] ?? [])),
    layer: layerBehind(depth, true),
    ...context.loop(loop),
    loop,
  };
}

interface Ends {
  readonly points: readonly Point[];
  readonly from: Box;
  readonly to: Box;
}

function edgeOf(
  edge: EdgeView,
  { points, from, to }: Ends,
  state: ReturnType<FlowContext<CardData>['edge']>,
): EdgePart {
  const drawn =
    edge.from === edge.to
      ? selfLoop(from)
      : points.length < 2
        ? directEdge(from, to)
        : { path: pathThrough(points), label: points[Math.floor(points.length / 2)] ?? from };
  return { id: edge.place, edge, ...drawn, ...state };
}
