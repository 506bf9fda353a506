import type { ScopeId } from '../../model/ids.ts';
import type { GraphPlan, Plan } from '../../plan/plan.ts';
import type { PlanTermination } from '../../plan/termination.ts';
import type { ActivationRecord } from '../records/records.ts';
import type { ConditionStates, ScopeRef } from '../records/stop.ts';
import { graphOf, locateActivation, scopeOf } from './lookup.ts';
import type { StateView } from './state.ts';

/** A termination that an activation counts for. */
export interface EnclosingTermination extends ScopeRef {
  readonly termination: PlanTermination;
  readonly cells: ConditionStates;
  /** Name of the activation's node in that scope: its id, or `Sub/Writer` for a node of an inner graph. */
  readonly source: string;
  /** The activation belongs to an inner graph. */
  readonly nested: boolean;
}

type NodeInScope = Pick<ActivationRecord, 'scope' | 'node'>;

/** Returns the terminations that enclose an activation, innermost first. */
export function enclosingTerminations(
  plan: Plan,
  state: StateView,
  activation: NodeInScope,
): readonly EnclosingTermination[] {
  if (!hasTerminations(plan)) return [];
  const found: EnclosingTermination[] = [];
  let source = '';
  for (const { graph, frame, node } of enclosingFrames(plan, state, activation)) {
    const nested = source !== '';
    const id = graph.nodes[node]?.id ?? '';
    source = nested ? `${id}/${source}` : id;
    for (const [name, termination] of terminationsForNode(graph, node)) {
      const record = state.get(`termination/${frame}/${name}`);
      if (record !== undefined) found.push({ scope: frame, name, termination, cells: record.cells, source, nested });
    }
  }
  return found;
}

/** A frame that encloses an activation, and the node in it. */
export interface NodeInFrame {
  readonly graph: GraphPlan;
  readonly frame: ScopeId;
  readonly node: number;
}

/** Yields the frames that enclose an activation, innermost first. */
export function* enclosingFrames(plan: Plan, state: StateView, activation: NodeInScope): Iterable<NodeInFrame> {
  for (let at: NodeInScope | undefined = activation; at !== undefined; ) {
    const { graph, frame } = locateActivation(plan, state, at);
    yield { graph, frame, node: at.node };
    const scope = scopeOf(state, frame);
    at = scope.type === 'graph' ? scope.caller : undefined;
  }
}

/**
 * Returns the terminations of a graph that apply to a node, with the names of their scopes: inner scopes first, then
 * the graph.
 */
export const terminationsForNode = (
  graph: GraphPlan,
  node: number,
): readonly (readonly [string, PlanTermination])[] => [
  ...graph.scopes.flatMap(({ id, members, termination }) =>
    termination !== undefined && members.has(node) ? [[id, termination] as const] : [],
  ),
  ...(graph.termination === undefined ? [] : [['', graph.termination] as const]),
];

/** Returns the termination of a scope. */
export function terminationOf(plan: Plan, state: StateView, { scope, name }: ScopeRef): PlanTermination | undefined {
  const graph = graphOf(plan, scopeOf(state, scope));
  return name === '' ? graph.termination : graph.scopes.find(({ id }) => id === name)?.termination;
}

/** Returns the active scopes that have a termination, inner ones first. */
export function activeTerminations(plan: Plan, state: StateView): readonly ScopeRef[] {
  const frames = [...state.keys('scope/')].flatMap((key) => {
    const scope = key.slice('scope/'.length) as ScopeId; // the key's form
    return scopeOf(state, scope).type === 'graph' ? [scope] : [];
  });
  const named = (scope: ScopeId) => [...graphOf(plan, scopeOf(state, scope)).scopes.map(({ id }) => id), ''];
  return frames
    .sort((a, b) => numberOf(b) - numberOf(a))
    .flatMap((scope) => named(scope).map((name) => ({ scope, name })))
    .filter(({ scope, name }) => state.get(`termination/${scope}/${name}`) !== undefined);
}

/**
 * Returns the number of a frame. Frames are numbered in the order in which they are entered: inner ones have higher
 * numbers.
 */
const numberOf = (scope: ScopeId): number => Number(scope.slice(1));

const hasTerminationsByPlan = new WeakMap<Plan, boolean>();

/** Returns whether a workflow has any termination. */
export function hasTerminations(plan: Plan): boolean {
  const before = hasTerminationsByPlan.get(plan);
  if (before !== undefined) return before;
  const found = [...plan.graphs.values()].some(
    ({ termination, scopes }) => termination !== undefined || scopes.some((scope) => scope.termination !== undefined),
  );
  hasTerminationsByPlan.set(plan, found);
  return found;
}
