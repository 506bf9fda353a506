import type { Wait } from '../../definitions/outcome.ts';
import type { ActivationId, AlarmId } from '../../model/ids.ts';
import type { MessageRef } from '../../model/messages/message.ts';
import { passesFilter, signalTimeout } from '../../model/messages/signal.ts';
import { keptSignalsKey } from '../evolve/evolve-signal.ts';
import type { ScopeRef } from '../records/stop.ts';
import type { DecisionContext } from '../state/decision-context.ts';
import { terminationOf } from '../state/enclosing-terminations.ts';
import { isWaiting } from '../state/live.ts';
import { graphOf, runOf, scopeOf, suspensionOf } from '../state/lookup.ts';

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
  const index = graphOf(plan, scopeOf(draft, scope)).scopes.findIndex(({ id }) => id === name);
  return `alarm/${kind}-${scope}-${index}`;
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

/*
 * Waits of nodes that can end by themselves. The event from outside is the answer to the wait for it; the alarm of its end
 * answers it as well, with a message that says so. Whichever is committed first counts. A wait for approvals has the same
 * alarm, see decide-call.ts.
 */

/** Returns the id of the alarm for the end of a wait. */
export const waitAlarm = (activation: ActivationId): AlarmId => `alarm/wait-${activation}`;

/** Returns the activation whose wait ends with an alarm; undefined if it is another alarm. */
export const waitingFor = (alarm: AlarmId): ActivationId | undefined =>
  /^alarm\/wait-(a\d+)$/.exec(alarm)?.[1] as ActivationId | undefined; // the pattern's group

/** Begins the wait of an activation for an event: it takes the first one that the run has kept for it. */
export function beginSignalWait(context: DecisionContext, activation: ActivationId, { event }: Wait): void {
  const { draft, emit, nonce } = context;
  if (event === undefined) return;
  const kept = draft
    .list(keptSignalsKey)
    .find(({ name, fields }) => name === event.name && passesFilter(fields, event.filter));
  if (kept !== undefined) giveSignal(context, activation, kept.message);
  else if (event.until !== undefined)
    emit({ type: 'alarm.set', alarm: waitAlarm(activation), dueAt: event.until, token: nonce });
}

/** Gives an event to the activation that takes it, and wakes it. */
export function giveSignal(context: DecisionContext, activation: ActivationId, answer: MessageRef): void {
  clearWaitAlarm(context, activation);
  const suspension = suspensionOf(context.draft, activation);
  context.emit({ type: 'activation.answered', activation, answer, ...suspension, token: context.nonce });
}

/** Clears the alarm for the end of a wait, if it is set. */
export function clearWaitAlarm({ draft, emit }: DecisionContext, activation: ActivationId): void {
  const alarm = waitAlarm(activation);
  if (draft.get(alarm) !== undefined) emit({ type: 'alarm.cleared', alarm });
}

/** Handles the alarm for the end of a wait, which has been cleared. Returns false if it is another alarm. */
export function handleWaitAlarm({ draft, emit, nonce, writeMessage }: DecisionContext, alarm: AlarmId): boolean {
  const activation = waitingFor(alarm);
  if (activation === undefined) return false;
  const record = draft.get(`activation/${activation}`);
  if (record !== undefined && isWaiting(record) && record.wait?.kind === 'event')
    emit({
      type: 'activation.answered',
      activation,
      answer: writeMessage(signalTimeout),
      ...suspensionOf(draft, activation),
      token: nonce,
      bodies: 1,
    });
  return true;
}
