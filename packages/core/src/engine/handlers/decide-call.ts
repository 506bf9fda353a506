import type { AskedCall } from '../../definitions/outcome.ts';
import type { ActivationId, AlarmId } from '../../model/ids.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { approvalsOf, openApprovals } from '../evolve/evolve-approval.ts';
import type { EventOf } from '../records/event.ts';
import type { ApprovalRecord } from '../records/records.ts';
import type { DecisionContext, Refusal } from '../state/decision-context.ts';
import { refuse } from '../state/decision-context.ts';
import { isWaiting } from '../state/live.ts';
import { runOf, suspensionOf } from '../state/lookup.ts';
import { clearWaitAlarm, waitAlarm, waitingFor } from '../termination/alarms.ts';

/*
 * Approval of calls of tools. A worker that comes to a call which a policy asks about suspends its activation with all such
 * calls of the model's reply: each is one question, `tool.asked`, with the hash of exactly that call. A further question about a
 * call at the same place has a number, so that nobody answers it who means the earlier one. People decide on them
 * one by one, `tool.decided`; the last decision, or the alarm at the end of the time, wakes the activation. The step that
 * makes an approved call names its hash, and is refused unless that hash is approved and no step has used it.
 */

/** Decides on a call that an activation asks about. */
interface DecideCallCommand {
  readonly type: 'tool.decide';
  readonly activation: ActivationId;
  /** Place of the call in its activation. */
  readonly place: number;
  /** Number of the question about a call at this place, from 2; absent: the first one. */
  readonly question?: number;
  /** Hash of the call as the person saw it. */
  readonly asked: string;
  readonly decision: 'approve' | 'reject';
  /** Arguments in place of those of the model, as JSON, and the hash of the call with them. */
  readonly edited?: { readonly arguments: string; readonly hash: string };
  readonly reason?: string;
  /** Name of the person who decides, if it is known. */
  readonly by?: string;
}

/** Asks about calls of an activation that has just been suspended. */
export function askAboutCalls(context: DecisionContext, activation: ActivationId, calls: readonly AskedCall[]): void {
  for (const call of calls) {
    const question = questionAbout(
      call,
      approvalsOf(context.draft, activation).find(({ place }) => place === call.place),
    );
    context.emit({ type: 'tool.asked', activation, ...call, ...omitUndefined({ question }) });
  }
  armExpiry(context, activation);
}

/** Returns the number of the question about a call, after the one before at its place: who answers that does not answer this. */
function questionAbout({ hash }: AskedCall, before: ApprovalRecord | undefined): number | undefined {
  if (before === undefined) return undefined;
  return before.hash === hash && before.decided === undefined ? before.question : (before.question ?? 1) + 1;
}

/** Decides on a call, once; the last decision wakes the activation. */
export function decideCall(context: DecisionContext, command: DecideCallCommand): Refusal | undefined {
  const { draft, at } = context;
  const { activation, place, question, asked, decision, edited, reason, by } = command;
  const { status } = runOf(draft);
  if (status !== 'running' && status !== 'paused')
    return refuse('RUN_NOT_ACTIVE', `The run is ${status}: its questions are withdrawn.`);
  const call = approvalsOf(draft, activation).find((one) => one.place === place && one.question === question);
  if (call === undefined)
    return refuse('TASK_UNKNOWN', `Activation ${activation} does not ask about a call ${place} of a tool.`);
  if (call.decided !== undefined) return decidedAlready(activation, { place, ...call.decided });
  const record = draft.get(`activation/${activation}`);
  if (record === undefined || !isWaiting(record))
    return refuse('TASK_UNKNOWN', `Activation ${activation} no longer asks about call ${place}.`);
  if (call.hash !== asked)
    return refuse(
      'APPROVAL_MISMATCH',
      `The question about call ${place} of activation ${activation} is about another call by now: its hash is ${call.hash}, not ${asked}. Read it again.`,
    );
  // Its alarm, which may be late, records that it counts as rejected.
  if (call.until !== undefined && call.until <= at) return expired(activation, place);
  const { hash } = edited ?? call;
  const given = omitUndefined({ question, arguments: edited?.arguments, reason, by });
  decided(context, { type: 'tool.decided', activation, place, decision, hash, ...given });
  return undefined;
}

function decidedAlready(
  activation: ActivationId,
  { place, decision, by }: Pick<EventOf<'tool.decided'>, 'place' | 'decision' | 'by'>,
): Refusal {
  const what = `call ${place} of activation ${activation}`;
  if (decision === 'expire') return expired(activation, place);
  const person = by === undefined ? '' : ` by ${by}`;
  return refuse('TASK_ANSWERED', `It has been decided on ${what} already${person}: ${decision}.`);
}

const expired = (activation: ActivationId, place: number): Refusal =>
  refuse(
    'APPROVAL_EXPIRED',
    `The time to decide on call ${place} of activation ${activation} is over: it counts as rejected.`,
  );

/** Records a decision, and wakes the activation if it was the last one. */
function decided(context: DecisionContext, event: EventOf<'tool.decided'>): void {
  const { draft, emit, nonce } = context;
  emit(event);
  const { activation } = event;
  if (openApprovals(draft, activation).length > 0) return armExpiry(context, activation);
  clearWaitAlarm(context, activation);
  emit({ type: 'activation.renewed', activation, ...suspensionOf(draft, activation), token: nonce });
}

/** Rejects the calls of an activation for which the time to decide is over. */
function expire(context: DecisionContext, activation: ActivationId): void {
  for (const { place, question, hash, until } of openApprovals(context.draft, activation))
    if (until !== undefined && until <= context.at)
      decided(context, {
        type: 'tool.decided',
        activation,
        place,
        decision: 'expire',
        hash,
        ...omitUndefined({ question }),
      });
}

/** Sets the alarm of an activation to the next time at which one of its calls counts as rejected. */
function armExpiry({ draft, emit, nonce }: DecisionContext, activation: ActivationId): void {
  const alarm = waitAlarm(activation);
  const dueAt = Math.min(...openApprovals(draft, activation).map(({ until }) => until ?? Number.POSITIVE_INFINITY));
  const before = draft.get(alarm);
  if (before?.dueAt === dueAt) return;
  if (Number.isFinite(dueAt)) emit({ type: 'alarm.set', alarm, dueAt, token: nonce });
  else if (before !== undefined) emit({ type: 'alarm.cleared', alarm });
}

/** Handles the alarm for the end of a wait for approvals, which has been cleared. Returns false if it is another alarm. */
export function handleApprovalAlarm(context: DecisionContext, alarm: AlarmId): boolean {
  const activation = waitingFor(alarm);
  const record = activation && context.draft.get(`activation/${activation}`);
  if (activation === undefined || record?.wait?.kind !== 'approval') return false;
  if (isWaiting(record)) expire(context, activation);
  return true;
}
