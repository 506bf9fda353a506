import type { GraphPlan, Plan, PlanNode } from '@millrace/core';

/**
 * Returns whether a node likely runs more than once in a run: it has a fan-out or is in a cycle, or the node that runs its
 * graph does.
 */
export function isRepeated(plan: Pick<Plan, 'graphs'>, graph: GraphPlan, node: PlanNode): boolean {
  if (node.fanOut !== undefined || graph.items[graph.itemOf[node.index] ?? -1]?.cycle === true) return true;
  for (const outer of plan.graphs.values()) {
    const caller = outer.nodes.find((one) => one.graph === graph.key);
    if (caller !== undefined) return isRepeated(plan, outer, caller);
  }
  return false;
}
