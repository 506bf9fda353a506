import dagre from '@dagrejs/dagre';
import type { RunGraphs } from '@millrace/client';

/** One graph of a run. */
export type RunGraph = RunGraphs['graphs'][number];

/** Size of every node, in pixels. */
export const nodeSize = { width: 208, height: 64 } as const;

/** A point, in pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Places of the parts of a graph. */
export interface Layout {
  /** Upper left corner of each node, by its id. */
  readonly nodes: ReadonlyMap<string, Point>;
  /** Course of each edge around the nodes; empty for an edge from a node to itself. */
  readonly edges: readonly (readonly Point[])[];
}

/** Input of a layout. */
interface Shape {
  readonly nodes: readonly { readonly id: string }[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

/** Room that is left for the label of an edge, in pixels. */
const label = { width: 56, height: 18, labelpos: 'c' } as const;

/** Places the nodes of a graph in rows from top to bottom, and leads the edges around them. */
export function layout({ nodes, edges }: Shape): Layout {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  const ranker = nodes.length > 200 ? 'tight-tree' : 'network-simplex';
  graph.setGraph({ rankdir: 'TB', nodesep: 48, edgesep: 24, ranksep: 40, ranker });
  for (const { id } of nodes) graph.setNode(id, { ...nodeSize });
  for (const [at, { from, to }] of edges.entries()) if (from !== to) graph.setEdge(from, to, { ...label }, String(at));
  dagre.layout(graph);
  return {
    nodes: new Map(
      nodes.map(({ id }) => {
        const { x, y } = graph.node(id);
        return [id, { x: x - nodeSize.width / 2, y: y - nodeSize.height / 2 }];
      }),
    ),
    edges: edges.map(({ from, to }, at) =>
      from === to ? [] : (graph.edge({ v: from, w: to, name: String(at) }) as { points: readonly Point[] }).points,
    ),
  };
}
