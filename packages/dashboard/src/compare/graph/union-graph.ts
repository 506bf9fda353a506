import type { RunGraph } from '../../run/graph/run-graph.ts';

/** One graph as two runs have it. */
export interface UnionGraph extends RunGraph {
  /** Ids of the nodes that only one of them has. */
  readonly onlyA: ReadonlySet<string>;
  readonly onlyB: ReadonlySet<string>;
  /** Numbers of messages on its edges, by {@link endsOf}. */
  readonly passes: ReadonlyMap<string, EdgePasses>;
}

/** Numbers of messages on an edge in each run; undefined for a run without this edge. */
export interface EdgePasses {
  readonly a: number | undefined;
  readonly b: number | undefined;
}

/** Returns the key of an edge: the ids of its nodes. */
export const endsOf = ({ from, to }: { readonly from: string; readonly to: string }): string => `${from}\n${to}`;

/**
 * Returns the graphs of two runs as one: nodes and edges are those of run B, followed by those that only run A has. Nodes
 * with the same id are the same.
 */
export function unionOf(graphsA: readonly RunGraph[], graphsB: readonly RunGraph[]): readonly UnionGraph[] {
  const byKeyA = new Map(graphsA.map((graph) => [graph.key, graph]));
  const keysB = new Set(graphsB.map(({ key }) => key));
  return [
    ...graphsB.map((graph) => united(byKeyA.get(graph.key), graph)),
    ...graphsA.filter(({ key }) => !keysB.has(key)).map((graph) => united(graph, undefined)),
  ];
}

function united(a: RunGraph | undefined, b: RunGraph | undefined): UnionGraph {
  const [idsA, idsB] = [idsOf(a), idsOf(b)];
  const [edgesA, edgesB] = [edgesOf(a), edgesOf(b)];
  const base = b ?? a;
  if (base === undefined) throw new Error('neither run has the graph');
  const nodes = [...base.nodes, ...(a?.nodes ?? []).filter(({ id }) => !idsOf(base).has(id))];
  const edges = [...base.edges, ...(a?.edges ?? []).filter((edge) => !edgesOf(base).has(endsOf(edge)))];
  return {
    ...base,
    nodes,
    // Turns belong to one run.
    cycles: base.cycles.map((cycle) => ({ ...cycle, turn: 0, live: false })),
    edges: edges.map((edge, index) => ({
      ...edge,
      index,
      ...labelOf(edge, { a: edgesA.get(endsOf(edge)), b: edgesB.get(endsOf(edge)) }),
    })),
    onlyA: new Set(nodes.flatMap(({ id }) => (idsB.has(id) ? [] : [id]))),
    onlyB: new Set(nodes.flatMap(({ id }) => (idsA.has(id) ? [] : [id]))),
    passes: new Map(
      edges.map((edge) => {
        const ends = endsOf(edge);
        return [ends, { a: edgesA.get(ends), b: edgesB.get(ends) }];
      }),
    ),
  };
}

/** Returns the label of an edge that passed other messages, or does not exist, in one of the runs. */
function labelOf({ condition = '', passed }: RunGraph['edges'][number], { a, b }: EdgePasses) {
  if (a === b) return { passed };
  const words = a === undefined ? '› only B' : b === undefined ? '‹ only A' : `A ${a}× B ${b}×`;
  return { passed: 0, condition: condition === '' ? words : `${words} · ${condition}` };
}

const idsOf = (graph: RunGraph | undefined): ReadonlySet<string> => new Set(graph?.nodes.map(({ id }) => id));

const edgesOf = (graph: RunGraph | undefined): ReadonlyMap<string, number> =>
  new Map(graph?.edges.map((edge) => [endsOf(edge), edge.passed]));
