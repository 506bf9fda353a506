import dagre from '@dagrejs/dagre';
import type { RunGraphs } from '@millrace/client';

/** One graph of a run. */
export type RunGraph = RunGraphs['graphs'][number];

/** Size of every node, in pixels. */
export const nodeSize = { width: 208, height: 64 } as const;

/** Upper left corner of a node, in pixels. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/** What the places of nodes depend on. */
interface Shape {
  readonly nodes: readonly { readonly id: string }[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

/** Places the nodes of a graph in rows from top to bottom, by their edges. */
export function layout({ nodes, edges }: Shape): ReadonlyMap<string, Place> {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({
    rankdir: 'TB',
    nodesep: 40,
    ranksep: 56,
    ranker: nodes.length > 200 ? 'tight-tree' : 'network-simplex',
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of nodes) graph.setNode(id, { ...nodeSize });
  for (const [at, { from, to }] of edges.entries()) if (from !== to) graph.setEdge(from, to, {}, String(at));
  dagre.layout(graph);
  return new Map(
    nodes.map(({ id }) => {
      const { x, y } = graph.node(id);
      return [id, { x: x - nodeSize.width / 2, y: y - nodeSize.height / 2 }];
    }),
  );
}
