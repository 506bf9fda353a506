import type { ScopeId } from '../../../model/ids.ts';
import type { Plan, PlanNode } from '../../../plan/plan.ts';
import type { GraphCaller } from '../../records/scope-events.ts';
import type { Fold } from '../../state/fold.ts';
import { frameOf, graphOf, nodeOf, scopeOf } from '../../state/lookup.ts';

/*
 * A node inside a graph may keep its state from one call of the graph to the next, as the controller of a boss with a
 * persistent memory does. Between calls, the state is stored with the calling node, in the enclosing frame. Calls of one
 * node in a frame run one after the other, units of a fan-out included, so the state at the start of a call does not
 * depend on timing.
 */

/** Returns the node in the graph of this one whose state persists over calls, if there is one. */
export const persistentNodeIn = (plan: Plan, { graph }: PlanNode): PlanNode | undefined =>
  graph === undefined ? undefined : plan.graphs.get(graph)?.nodes.find(({ lasting }) => lasting);

/** Copies the state that the last call has saved into a new call. */
export function restorePersistentState({ plan, draft }: Fold, frame: ScopeId, caller: GraphCaller): void {
  const { key, inner } = persistentStateOf({ plan, draft }, caller);
  const kept = inner === undefined ? undefined : draft.get(key);
  if (inner?.state !== undefined && kept !== undefined) draft.set(`${inner.state}/${frame}/${inner.id}`, kept);
}

/** Saves the state of a call for the next one. */
export function savePersistentState(
  { plan, draft }: Pick<Fold, 'plan' | 'draft'>,
  frame: ScopeId,
  caller: GraphCaller,
): void {
  const { key, inner } = persistentStateOf({ plan, draft }, caller);
  const state = inner?.state === undefined ? undefined : draft.get(`${inner.state}/${frame}/${inner.id}`);
  if (state !== undefined) draft.set(key, state);
}

function persistentStateOf({ plan, draft }: Pick<Fold, 'plan' | 'draft'>, caller: GraphCaller) {
  const scope = scopeOf(draft, caller.scope);
  const node = nodeOf(graphOf(plan, scope), caller.node);
  return { key: `lasting/${frameOf(scope, caller.scope)}/${node.id}` as const, inner: persistentNodeIn(plan, node) };
}
