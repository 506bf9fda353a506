import type { AlarmId } from '../../model/ids.ts';
import type { ScopeRef } from '../records/stop.ts';
import type { DecisionContext } from '../state/decision-context.ts';
import { terminationOf } from '../state/enclosing-terminations.ts';
import { graphOf, runOf, scopeOf } from '../state/lookup.ts';

type AlarmKind = 'termination' | 'drain';

/**
 * Returns the id of an alarm of a scope: for the time limit of its termination, or for the end of a drain. It contains
 * the index of the scope in the graph, because names of scopes may contain any character.
 */
export function terminationAlarmId(
  { draft, plan }: DecisionContext,
  { scope, name }: ScopeRef,
  kind: AlarmKind,
): AlarmId {
  const place = graphOf(plan, scopeOf(draft, scope)).scopes.findIndex(({ id }) => id === name);
  return `alarm/${kind}-${scope}-${place}`;
}

/**
 * Sets the alarm of a scope to the next time at which a time limit may stop it. While the run is paused, only time
 * limits that count pauses apply.
 */
export function armTermination(context: DecisionContext, scope: ScopeRef): void {
  const { draft, plan, emit, at, nonce } = context;
  const record = draft.get(`termination/${scope.scope}/${scope.name}`);
  if (record === undefined || record.stop !== undefined) return;
  const run = runOf(draft);
  const times = (terminationOf(plan, draft, scope)?.leaves ?? []).flatMap(({ path, config, definition }) => {
    const due = record.cells[path]?.met === undefined ? definition.due?.(config) : undefined;
    if (due === undefined || (run.status === 'paused' && !due.countsPaused)) return [];
    return [record.startedAt + due.afterMs + (due.countsPaused ? 0 : record.pausedMs)];
  });
  const dueAt = Math.min(...times.filter((time) => time > at));
  const alarm = terminationAlarmId(context, scope, 'termination');
  const before = draft.get(alarm);
  if (before?.dueAt === dueAt) return;
  if (Number.isFinite(dueAt)) emit({ type: 'alarm.set', alarm, dueAt, token: nonce });
  else if (before !== undefined) emit({ type: 'alarm.cleared', alarm });
}

/** Clears the alarms of a scope. */
export function disarmTermination(context: DecisionContext, scope: ScopeRef): void {
  for (const kind of ['termination', 'drain'] as const) {
    const alarm = terminationAlarmId(context, scope, kind);
    if (context.draft.get(alarm) !== undefined) context.emit({ type: 'alarm.cleared', alarm });
  }
}
