import type { Edge, Node } from '@xyflow/react';
import { MarkerType } from '@xyflow/react';
import type { Box, Point } from '../layout/geometry.ts';
import { frameAround, insideMargin } from '../layout/geometry.ts';
import type { PlacedGraph } from '../layout/layout.ts';
import type { RunGraph } from '../run-graph.ts';
import type { EdgeView } from '../view/edge-view.ts';
import type { LoopView } from '../view/loop-view.ts';
import type { NodeView } from '../view/node-view.ts';
import { courseOf, selfCourse, straightCourse } from './course.ts';
import type { FlowCache } from './flow-cache.ts';
import type { GraphEdgeData } from './graph-edge.tsx';
import type { LoopFrameData } from './loop-frame.tsx';

/** One graph with everything that its picture shows. */
export interface GraphView {
  readonly graph: RunGraph;
  readonly nodes: readonly NodeView[];
  readonly edges: readonly EdgeView[];
  readonly loops: readonly LoopView[];
}

/** What a card shows beside its node; the component that draws the cards knows the fields. */
interface CardData {
  /** The graph inside it is open in its place. */
  readonly isOpen: boolean;
  readonly [field: string]: unknown;
}

/** Parts of the canvas that do not come from the run. */
export interface FlowContext {
  /** Views by the keys of their graphs. */
  readonly views: ReadonlyMap<string, GraphView>;
  readonly cache: FlowCache;
  card(node: NodeView): CardData;
  edge(edge: EdgeView): Pick<GraphEdgeData, 'isDimmed'>;
  loop(loop: LoopView): Omit<LoopFrameData, 'loop'>;
}

/** Nodes and edges of the canvas, and where the nodes are. */
export interface Flow {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
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
export function flowOf(placed: PlacedGraph, context: FlowContext, origin: Origin = { x: 0, y: 0, depth: 0 }): Flow {
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
  return {
    frames,
    nodes: [
      ...view.loops.map((loop) => context.cache.keep(frameNode(loop, { boxes, depth: origin.depth }, context))),
      ...view.nodes.flatMap((node, at) =>
        cardNode(node, { box: boxes[at], depth: origin.depth }, context).map(context.cache.keep),
      ),
      ...inner.flatMap(({ nodes }) => nodes),
    ],
    edges: [
      ...view.edges.map((edge, at) => {
        const course = (placed.edges[at] ?? []).map(({ x, y }) => ({ x: x + origin.x, y: y + origin.y }));
        return context.cache.keep(
          edgeOf(edge, { course, from: boxOf(edge.from), to: boxOf(edge.to) }, context.edge(edge)),
        );
      }),
      ...inner.flatMap(({ edges }) => edges),
    ],
    boxes: new Map([
      ...view.nodes.flatMap(({ place }, at): [string, Box][] => (boxes[at] === undefined ? [] : [[place, boxes[at]]])),
      ...inner.flatMap((one) => [...one.boxes]),
    ]),
  };
}

/** Returns the layer of what lies behind edges: the frames of a graph lie on the node that it is open in. */
const layerBehind = (depth: number, isFrame: boolean): number => 2 * depth + (isFrame ? 1 : 0) - 40;

interface CardBox {
  readonly box: Box | undefined;
  readonly depth: number;
}

function cardNode(node: NodeView, { box, depth }: CardBox, context: FlowContext): Node[] {
  if (box === undefined) return [];
  const { x, y, width, height } = box;
  const card = context.card(node);
  return [
    {
      id: node.place,
      type: 'card',
      position: { x, y },
      width,
      height,
      focusable: false,
      // The library takes clicks from nodes that it does not select itself.
      style: { pointerEvents: 'all' },
      ...(card.isOpen ? { zIndex: layerBehind(depth + 1, false) } : {}),
      data: { ...card, node },
    },
  ];
}

interface FrameBoxes {
  readonly boxes: readonly Box[];
  readonly depth: number;
}

function frameNode(loop: LoopView, { boxes, depth }: FrameBoxes, context: FlowContext): Node {
  const { x, y, width, height } = frameAround(loop.members.flatMap((member) => boxes[member] ?? []));
  return {
    id: loop.place,
    type: 'loop',
    position: { x, y },
    width,
    height,
    zIndex: layerBehind(depth, true),
    focusable: false,
    selectable: false,
    style: { pointerEvents: 'none' },
    data: { ...context.loop(loop), loop },
  };
}

interface Ends {
  readonly course: readonly Point[];
  readonly from: Box;
  readonly to: Box;
}

function edgeOf(edge: EdgeView, { course, from, to }: Ends, state: ReturnType<FlowContext['edge']>): Edge {
  const drawn =
    edge.from === edge.to
      ? selfCourse(from)
      : course.length < 2
        ? straightCourse(from, to)
        : { path: courseOf(course), label: course[Math.floor(course.length / 2)] ?? from };
  const colour = edge.onError ? 'var(--failed)' : edge.passed > 0 ? 'var(--accent)' : 'var(--line-strong)';
  return {
    id: edge.place,
    source: edge.source,
    target: edge.target,
    type: 'course',
    focusable: false,
    markerEnd: { type: MarkerType.ArrowClosed, width: 16, height: 16, color: colour },
    data: { edge, ...drawn, ...state },
  };
}
