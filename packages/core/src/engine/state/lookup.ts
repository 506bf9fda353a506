import type { ActivationId, AlarmId, ScopeId } from '../../model/ids.ts';
import type { GraphPlan, Plan, PlanNode } from '../../plan/plan.ts';
import type { ActivationRecord, AlarmRecord, RunRecord, ScopeRecord } from '../records/records.ts';
import type { StateView } from './state.ts';

/** A record or a piece of the plan that must be there is not: the journal and the plan do not fit, which is our bug. */
function missing(what: string): never {
  throw new Error(`the run has no ${what}`);
}

/** The run's own record. */
export const runOf = (state: StateView): RunRecord => state.get('run') ?? missing('record of itself');

/** A scope that must be there. */
export const scopeOf = (state: StateView, id: ScopeId): ScopeRecord =>
  state.get(`scope/${id}`) ?? missing(`scope ${id}`);

/** The graph that a scope runs in. */
export const graphOf = (plan: Plan, scope: ScopeRecord): GraphPlan =>
  plan.graphs.get(scope.graph) ?? missing(`graph "${scope.graph}"`);

/** The execution of a graph that a scope belongs to; a graph's own scope is its frame. */
export const frameOf = (scope: ScopeRecord, id: ScopeId): ScopeId => (scope.type === 'graph' ? id : scope.frame);

/** A node by index. */
export const nodeOf = (graph: GraphPlan, index: number): PlanNode =>
  graph.nodes[index] ?? missing(`node ${index} in graph "${graph.key}"`);

/** Where an activation stands: its scope, graph, frame and node. The node is undefined for a count of votes. */
export function locateActivation(plan: Plan, state: StateView, record: Pick<ActivationRecord, 'scope' | 'node'>) {
  const scope = scopeOf(state, record.scope);
  const graph = graphOf(plan, scope);
  return { scope, graph, frame: frameOf(scope, record.scope), node: graph.nodes[record.node] };
}

/** The activations that are not settled, failed ones included; what the caller changes meanwhile changes nothing. */
export function* activationsOf(state: StateView): Iterable<readonly [ActivationId, ActivationRecord]> {
  for (const key of [...state.keys('activation/')]) {
    const id = key.slice('activation/'.length) as ActivationId; // the key's form
    const record = state.get(`activation/${id}`);
    if (record !== undefined) yield [id, record];
  }
}

/**
 * Whether an alarm stands still while the run is paused, as the end of the run's time does. Terminations set theirs
 * anew, and what is at work goes on, so that the time it has left does, too.
 */
export const pausesWithRun = (alarm: AlarmId): boolean => alarm === 'alarm/timeout';

/** The alarms that are set. */
export function* alarmsOf(state: StateView): Iterable<readonly [AlarmId, AlarmRecord]> {
  for (const key of [...state.keys('alarm/')]) {
    const id = key as AlarmId; // the prefix asked for
    const record = state.get(id);
    if (record !== undefined) yield [id, record];
  }
}
