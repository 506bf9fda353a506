import type { ScopeId } from '../../model/ids.ts';
import type { GraphPlan } from '../../plan/plan.ts';
import type { ScopeRef } from '../records/stop.ts';
import type { DecisionContext } from '../state/decision-context.ts';
import { frameOf, graphOf, nodeOf, runOf, scopeOf } from '../state/lookup.ts';
import type { StateView } from '../state/state.ts';
import { armTermination, disarmTermination } from './alarms.ts';

/** Returns the named scopes with a termination that contain one of the nodes, outer ones first. */
const scopesWith = (graph: GraphPlan, nodes: readonly number[]) =>
  graph.scopes
    .filter(({ termination, members }) => termination !== undefined && nodes.some((node) => members.has(node)))
    .reverse();

/** Returns whether nodes that are due must wait because one of their scopes is being stopped and will be entered again. */
export const mustWaitForScope = (
  state: StateView,
  { graph, frame }: { readonly graph: GraphPlan; readonly frame: ScopeId },
  nodes: readonly number[],
): boolean =>
  graph.scopes.length > 0 &&
  scopesWith(graph, nodes).some(({ id }) => state.get(`termination/${frame}/${id}`)?.stop !== undefined);

/** Enters the named scopes of a node that is due, unless they are active. */
export function enterScopes(
  context: DecisionContext,
  { graph, frame }: { readonly graph: GraphPlan; readonly frame: ScopeId },
  node: number,
): void {
  if (graph.scopes.length === 0) return;
  for (const { id } of scopesWith(graph, [node])) {
    if (context.draft.get(`termination/${frame}/${id}`) !== undefined) continue;
    context.emit({ type: 'scope.entered', scope: frame, name: id });
    armTermination(context, { scope: frame, name: id });
  }
}

/** Leaves named scopes in which nothing is executing and nothing is due. */
export function leaveIdleScopes(context: DecisionContext): void {
  const { draft, emit } = context;
  for (const scope of runOf(draft).entered ?? []) {
    const record = draft.get(`termination/${scope.scope}/${scope.name}`);
    if (record === undefined || record.open > 0 || record.stop !== undefined || hasPendingTrigger(context, scope))
      continue;
    disarmTermination(context, scope);
    emit({ type: 'scope.left', ...scope });
  }
}

/** Returns whether a node of the scope has sent a message that will make another one of its nodes due. */
function hasPendingTrigger({ draft, plan }: DecisionContext, { scope: frame, name }: ScopeRef): boolean {
  const graph = graphOf(plan, scopeOf(draft, frame));
  const members = graph.scopes.find(({ id }) => id === name)?.members ?? new Set<number>();
  const isInner = (index: number) => {
    const edge = graph.edges[index];
    return edge?.trigger === true && members.has(edge.from) && members.has(edge.to);
  };
  for (const key of draft.keys('scope/')) {
    const id = key.slice('scope/'.length) as ScopeId; // the key's form
    const scope = scopeOf(draft, id);
    if ((scope.type !== 'graph' && scope.type !== 'cycle') || frameOf(scope, id) !== frame) continue;
    if (draft.get(`fired/${id}`)?.some(isInner)) return true;
    for (const member of members) {
      const entries = draft.list(`pending/${id}/${frame}/${nodeOf(graph, member).id}`);
      if (entries.some((entry) => !entry.dropped && isInner(entry.edge))) return true;
    }
  }
  return false;
}
