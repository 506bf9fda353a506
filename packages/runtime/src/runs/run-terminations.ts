import type { ConditionStates, Plan, PlanCondition, ScopeId, ScopeRef, StateView, StopReason } from '@millrace/core';
import { graphOf, omitUndefined, rootScope, runOf, scopeOf, terminationOf } from '@millrace/core';

/** A condition or a group of a termination, and its progress. */
export interface TerminationStatus {
  /** Its place in the tree, such as `$.0.1`; the whole tree is `$`. */
  readonly path: string;
  /** `any_of`, `all_of`, or the kind of condition. */
  readonly type: string;
  readonly id?: string;
  readonly config?: unknown;
  /** State of the condition, such as a count; absent where nothing has happened. */
  readonly state?: unknown;
  /** Reason why it is satisfied; absent until it is, and then it is not evaluated any more. */
  readonly met?: readonly string[];
}

/** A scope that can stop, and its progress. Times are milliseconds since 1970. */
export interface RunTermination {
  /** The execution of a graph that it belongs to: `s0` for the run's own. */
  readonly execution: ScopeId;
  /** The key of that graph: empty for the root. */
  readonly graph: string;
  /** The named scope; empty for the whole graph. */
  readonly name: string;
  /** `stopping` while its active work may finish; otherwise the status of its run. */
  readonly status: ReturnType<typeof runOf>['status'];
  /** Number of the segment, from 1. */
  readonly segment: number;
  /** Postponed by the time during which the run had ended. */
  readonly startedAt: number;
  readonly pausedMs: number;
  readonly stop?: StopReason;
  /** The tree, each group before its members. */
  readonly conditions: readonly TerminationStatus[];
}

/** Returns the scopes of a run that can stop: those that are entered now, and the run itself until it is completed. */
export function terminationsOfRun(plan: Plan, state: StateView): readonly RunTermination[] {
  const { status, segment, stop } = runOf(state);
  return [...state.keys('termination/')].flatMap((key): RunTermination[] => {
    const scope = nameIn(key);
    const termination = terminationOf(plan, state, scope);
    const record = state.get(`termination/${scope.scope}/${scope.name}`);
    if (termination === undefined || record === undefined) return [];
    const own = scope.scope === rootScope && scope.name === '' ? stop : record.stop;
    return [
      omitUndefined({
        execution: scope.scope,
        graph: graphOf(plan, scopeOf(state, scope.scope)).key,
        name: scope.name,
        status: record.stop === undefined ? status : 'stopping',
        segment,
        startedAt: record.startedAt,
        pausedMs: record.pausedMs,
        conditions: placesOf(termination.tree, record.cells),
        stop: own,
      }),
    ];
  });
}

/** Names of scopes may hold any character, ids of executions hold no slash. */
function nameIn(key: string): ScopeRef {
  const [, scope = '', ...name] = key.split('/');
  return { scope: scope as ScopeId, name: name.join('/') }; // the key's form
}

function placesOf(condition: PlanCondition, states: ConditionStates): readonly TerminationStatus[] {
  const stored = states[condition.path];
  const met = stored?.met === undefined ? {} : { met: stored.met.map(({ text }) => text) };
  if (condition.type !== 'leaf') {
    const { path, type, of } = condition;
    return [{ path, type, ...met }, ...of.flatMap((one) => placesOf(one, states))];
  }
  const { path, name, id, config } = condition;
  const state = stored?.state === undefined ? {} : { state: stored.state };
  return [{ path, type: name, config, ...omitUndefined({ id }), ...state, ...met }];
}
