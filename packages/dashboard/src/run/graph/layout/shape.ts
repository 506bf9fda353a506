import type { RunGraph } from '../view/run-graph.ts';
import type { Size } from './geometry.ts';
import type { Shape } from './layout.ts';

const width = 224;
const lines = { two: 58, three: 82 } as const;

/** Types of nodes that have a line for their current activity. */
const eloquent: ReadonlySet<string> = new Set(['agent', 'human', 'loop_counter', 'loop_timer', 'delay', 'wait_for']);

/** Tests if a node has no line for its current activity. */
export const isShort = ({ height }: Size): boolean => height === lines.two;

/** Returns the size of a node by its content; the size does not depend on its state. */
export function sizeOf(node: RunGraph['nodes'][number], isFanOut: boolean): Size {
  const isTall = isFanOut || node.graph !== undefined || eloquent.has(node.type);
  return { width, height: isTall ? lines.three : lines.two };
}

/** Returns the properties on which the layout of a graph depends. */
export function shapeOf(graph: RunGraph): Shape {
  const indexOf = new Map(graph.nodes.map(({ id }, at) => [id, at]));
  const fanOuts = new Set(graph.edges.filter(({ dynamic }) => dynamic).map(({ to }) => to));
  return {
    key: graph.key,
    nodes: graph.nodes.map((node) => ({
      ...sizeOf(node, fanOuts.has(node.id)),
      ...(node.graph === undefined ? {} : { inner: node.graph }),
    })),
    edges: graph.edges.map(({ from, to }) => ({ from: indexOf.get(from) ?? 0, to: indexOf.get(to) ?? 0 })),
    loops: graph.items.filter((members) => members.length > 1),
  };
}
