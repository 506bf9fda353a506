import type { GraphPlan, LogLevel, Plan, PlanNode, StateView } from '@millrace/core';
import { activationsOf, locateActivation, rootScope } from '@millrace/core';
import { stateOf } from '../activations/activation-projection.ts';

/** Status of a node of a run; `done` when it has run and is not active, `idle` when it has not run. */
export type NodeStatus = 'idle' | 'ready' | 'working' | 'waiting' | 'failed' | 'done';

/** A node as a picture of the run shows it. */
export interface GraphNode {
  readonly id: string;
  readonly type: string;
  /** It guards a loop. */
  readonly guard?: true;
  /** A human node. */
  readonly waits?: true;
  /** Its outputs are hidden. */
  readonly discreet?: true;
  /** The key of the graph inside it. */
  readonly graph?: string;
  readonly status: NodeStatus;
  /** Number of completed activations: in the root graph, of all; in other graphs, of the calls in progress. */
  readonly runs: number;
  /** Its activations that have not settled. */
  readonly live: number;
}

/** An edge, by the ids of its nodes. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly trigger: boolean;
  readonly carryData: boolean;
  readonly dynamic: boolean;
  /** The edge applies to failures of its source only. */
  readonly onError: boolean;
  /** It has a condition. */
  readonly conditional: boolean;
}

/** One graph of a run. */
export interface RunGraph {
  /** Empty for the root; otherwise the path of the enclosing nodes. */
  readonly key: string;
  readonly id: string;
  /** Log entries below this level are not reported. */
  readonly logLevel: LogLevel;
  /** Items, by the numbers that the journal has for them: indices of `nodes`. */
  readonly items: readonly (readonly number[])[];
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/**
 * Returns the graphs of a run with the status of their nodes; the cost grows with the plan and the live activations.
 */
export function graphsOf(plan: Plan, state: StateView): readonly RunGraph[] {
  const live = liveOf(plan, state);
  const runs = runsOf(plan, state);
  return [...plan.graphs.values()].map((graph) => ({
    key: graph.key,
    id: graph.id,
    logLevel: graph.logLevel,
    items: graph.items.map(({ members }) => members),
    nodes: graph.nodes.map((node) => {
      const { id, type, graph: inner } = node;
      const statuses = live.get(placeIn(graph, id)) ?? [];
      const count = runs.get(placeIn(graph, id)) ?? 0;
      const status = order.find((one) => statuses.includes(one)) ?? (count > 0 ? 'done' : 'idle');
      const within = inner === undefined ? {} : { graph: inner };
      return { id, type, ...traitsOf(node), status, runs: count, live: statuses.length, ...within };
    }),
    edges: edgesOf(graph),
  }));
}

const traitsOf = ({ guard, waits, logOutput }: PlanNode): Pick<GraphNode, 'guard' | 'waits' | 'discreet'> => ({
  ...(guard ? { guard: true } : {}),
  ...(waits ? { waits: true } : {}),
  ...(logOutput ? {} : { discreet: true }),
});

/** Returns the status of a node with several activations: the one that most needs attention. */
const order = ['failed', 'waiting', 'working', 'ready'] as const;

const placeIn = ({ key }: GraphPlan, node: string): string => `${key}\n${node}`;

function liveOf(plan: Plan, state: StateView): ReadonlyMap<string, readonly NodeStatus[]> {
  const live = new Map<string, NodeStatus[]>();
  for (const [, record] of activationsOf(state)) {
    const { graph, node } = locateActivation(plan, state, record);
    if (node === undefined) continue;
    const place = placeIn(graph, node.id);
    const statuses = live.get(place) ?? [];
    statuses.push(stateOf(record));
    live.set(place, statuses);
  }
  return live;
}

function runsOf(plan: Plan, state: StateView): ReadonlyMap<string, number> {
  const runs = new Map<string, number>();
  for (const key of state.keys('node/')) {
    const [, frame = '', ...rest] = key.split('/');
    const scope = state.get(`scope/${frame as typeof rootScope}`); // the key's form
    const graph = plan.graphs.get(scope?.graph ?? (frame === rootScope ? '' : '\n'));
    if (graph === undefined) continue;
    const place = placeIn(graph, rest.join('/'));
    const record = state.get(key as `node/${typeof rootScope}/${string}`); // the prefix asked for
    runs.set(place, (runs.get(place) ?? 0) + (record?.runs ?? 0));
  }
  return runs;
}

function edgesOf({ nodes, edges }: GraphPlan): readonly GraphEdge[] {
  const idOf = (index: number): string => nodes[index]?.id ?? '';
  return edges.map(({ from, to, trigger, carryData, dynamic, onError, condition }) => ({
    from: idOf(from),
    to: idOf(to),
    trigger,
    carryData,
    dynamic,
    onError,
    conditional: condition !== null,
  }));
}
