import type { ScopeId } from '../../model/ids.ts';
import type { Plan, PlanNode } from '../../plan/plan.ts';
import type { GraphCaller } from '../records/event.ts';
import { frameOf, graphOf, nodeOf, scopeOf } from '../state/lookup.ts';
import type { Fold } from './fold.ts';

/*
 * A node inside a graph may keep its own state from one call of the graph to the next, as the controller of a boss does that
 * never forgets. Between the calls it is with whoever calls, in the execution of the graph around: calls of one node there
 * come one after the other, units of a fan-out included, so that what a call begins with does not depend on timing.
 */

/** The node in the graph of this one whose state outlives the calls of it, if there is one. */
export const persistentNodeIn = (plan: Plan, { graph }: PlanNode): PlanNode | undefined =>
  graph === undefined ? undefined : plan.graphs.get(graph)?.nodes.find(({ lasting }) => lasting);

/** A call begins with what the last one has left. */
export function restorePersistentState({ plan, draft }: Fold, frame: ScopeId, caller: GraphCaller): void {
  const { key, inner } = keptAt({ plan, draft }, caller);
  const kept = inner === undefined ? undefined : draft.get(key);
  if (inner?.state !== undefined && kept !== undefined) draft.set(`${inner.state}/${frame}/${inner.id}`, kept);
}

/** A call leaves it for the next one. */
export function savePersistentState(
  { plan, draft }: Pick<Fold, 'plan' | 'draft'>,
  frame: ScopeId,
  caller: GraphCaller,
): void {
  const { key, inner } = keptAt({ plan, draft }, caller);
  const state = inner?.state === undefined ? undefined : draft.get(`${inner.state}/${frame}/${inner.id}`);
  if (state !== undefined) draft.set(key, state);
}

function keptAt({ plan, draft }: Pick<Fold, 'plan' | 'draft'>, caller: GraphCaller) {
  const scope = scopeOf(draft, caller.scope);
  const node = nodeOf(graphOf(plan, scope), caller.node);
  return { key: `lasting/${frameOf(scope, caller.scope)}/${node.id}` as const, inner: persistentNodeIn(plan, node) };
}
