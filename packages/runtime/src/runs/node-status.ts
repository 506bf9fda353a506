import type { LiveProjection, NodeProjection, PlanNode, RunProjection } from '@millrace/core';
import type { NodeStatus } from '../contract/run-graphs.ts';

/** Statuses of several activations in the order in which they need attention. */
const order = ['failed', 'waiting', 'working', 'ready'] as const;

/** Work in progress inside the nodes of a run. */
export interface InsideNodes {
  /** States of the live activations of each graph and of the graphs inside it, by the keys of graphs. */
  readonly states: ReadonlyMap<string, ReadonlySet<LiveProjection['state']>>;
  /** Keys of graphs that nodes have called and that are not over. */
  readonly calls: ReadonlySet<string>;
}

/** Returns the work in progress inside the nodes of a run. The cost grows with the live activations, not with the plan. */
export function insideNodesOf({ live, scopes }: RunProjection): InsideNodes {
  const states = new Map<string, Set<LiveProjection['state']>>();
  for (const { graph, state } of live.values()) {
    for (const key of withEnclosing(graph)) {
      const known = states.get(key);
      if (known === undefined) states.set(key, new Set([state]));
      else known.add(state);
    }
  }
  const calls = new Set<string>();
  for (const scope of scopes.values()) if (scope.type === 'graph' && scope.parent !== undefined) calls.add(scope.graph);
  return { states, calls };
}

/** Returns the key of a graph and those of the graphs around it. */
function withEnclosing(graph: string): readonly string[] {
  const path = graph.split('/');
  return path.map((_, last) => path.slice(0, last + 1).join('/'));
}

interface StatusParts {
  readonly shown: NodeProjection | undefined;
  /** Its own activations that have not settled. */
  readonly live: readonly LiveProjection[];
  readonly inside: InsideNodes;
}

/**
 * Returns the status of a node. A node whose work continues inside it, in a graph or a fan-out that it has opened, has the
 * status that needs attention first there.
 */
export function nodeStatusOf({ graph }: PlanNode, { shown, live, inside }: StatusParts): NodeStatus {
  const own = order.find((one) => live.some(({ state }) => state === one));
  if (own !== undefined) return own;
  const isOpen = (shown?.units?.open ?? 0) > 0 || (graph !== undefined && inside.calls.has(graph));
  if (!isOpen) return (shown?.runs ?? 0) > 0 ? 'done' : 'idle';
  const states = inside.states.get(graph ?? '');
  return graph === undefined || states === undefined ? 'working' : (order.find((one) => states.has(one)) ?? 'working');
}
