import type { ActivationId, AlarmId, ScopeId } from '../../model/ids.ts';
import type { GraphPlan, Plan, PlanNode } from '../../plan/plan.ts';
import type { ActivationRecord, AlarmRecord, RunRecord, ScopeRecord } from '../records/records.ts';
import type { StateView } from './state.ts';

/**
 * Throws because a record or a part of the plan is missing: the journal and the plan do not match, which is a bug of
 * ours.
 */
function missing(what: string): never {
  throw new Error(`the run has no ${what}`);
}

/** Returns the record of the run. */
export const runOf = (state: StateView): RunRecord => state.get('run') ?? missing('record of itself');

/** Returns the record of a scope. Throws if there is none. */
export const scopeOf = (state: StateView, id: ScopeId): ScopeRecord =>
  state.get(`scope/${id}`) ?? missing(`scope ${id}`);

/** Returns the graph that a scope belongs to. */
export const graphOf = (plan: Plan, scope: ScopeRecord): GraphPlan =>
  plan.graphs.get(scope.graph) ?? missing(`graph "${scope.graph}"`);

/** Returns the frame that a scope belongs to; a graph's own scope is its frame. */
export const frameOf = (scope: ScopeRecord, id: ScopeId): ScopeId => (scope.type === 'graph' ? id : scope.frame);

/** Returns a node by its index. */
export const nodeOf = (graph: GraphPlan, index: number): PlanNode =>
  graph.nodes[index] ?? missing(`node ${index} in graph "${graph.key}"`);

/** Returns the key of a node over all executions of its graph: `<node>` or `<graph>/<node>`. */
export const nodeKeyOf = (graph: GraphPlan, node: PlanNode): string =>
  `${graph.key === '' ? '' : `${graph.key}/`}${node.id}`;

/** Returns the scope, graph, frame and node of an activation. The node is undefined for a count of votes. */
export function locateActivation(plan: Plan, state: StateView, record: Pick<ActivationRecord, 'scope' | 'node'>) {
  const scope = scopeOf(state, record.scope);
  const graph = graphOf(plan, scope);
  return { scope, graph, frame: frameOf(scope, record.scope), node: graph.nodes[record.node] };
}

/** Yields the activations that are not settled, failed ones included; the caller may change them meanwhile. */
export function* activationsOf(state: StateView): Iterable<readonly [ActivationId, ActivationRecord]> {
  for (const key of [...state.keys('activation/')]) {
    const id = key.slice('activation/'.length) as ActivationId; // the key's form
    const record = state.get(`activation/${id}`);
    if (record !== undefined) yield [id, record];
  }
}

/**
 * Returns whether an alarm stops while the run is paused, as the run's time limit does. Terminations set their own alarms
 * again, and the end of a drain still applies, because executing activations continue.
 */
export const pausesWithRun = (alarm: AlarmId): boolean => alarm === 'alarm/timeout';

/** Yields the alarms that are set. */
export function* alarmsOf(state: StateView): Iterable<readonly [AlarmId, AlarmRecord]> {
  for (const key of [...state.keys('alarm/')]) {
    const id = key as AlarmId; // the prefix asked for
    const record = state.get(id);
    if (record !== undefined) yield [id, record];
  }
}

/** Returns the number of the suspension in which an activation is, as events have it. */
export function suspensionOf(state: StateView, activation: ActivationId): { readonly suspension?: number } {
  const { suspensions = 1 } = state.get(`activation/${activation}`) ?? {};
  return suspensions === 1 ? {} : { suspension: suspensions };
}
