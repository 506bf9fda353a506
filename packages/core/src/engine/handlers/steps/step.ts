import type { UnknownRule } from '../../../model/failure.ts';
import type { ActivationId } from '../../../model/ids.ts';
import type { MessageBody } from '../../../model/messages/message.ts';
import { omitUndefined } from '../../../model/omit-undefined.ts';
import type { Amount, CallBound } from '../../../model/usage/budget.ts';
import type { Usage } from '../../../model/usage/usage.ts';
import { tokensOf } from '../../../model/usage/usage.ts';
import type { FileChange } from '../../../model/workspace.ts';
import type { NewRequest } from '../../commands/new-request.ts';
import { approvalsOf } from '../../evolve/evolve-approval.ts';
import type { EventOf } from '../../records/event.ts';
import type { StepRecord } from '../../records/records.ts';
import { reservationFor } from '../../records/records.ts';
import type { DecisionContext, Refusal } from '../../state/decision-context.ts';
import { refuse } from '../../state/decision-context.ts';
import { liveActivation } from '../../state/live.ts';
import { locateActivation } from '../../state/lookup.ts';
import type { Draft } from '../../state/state.ts';
import { storeRequest } from '../../state/store-request.ts';
import { admitModelCall, wakeFundedActivations } from './budget.ts';
import { noteUnknownStep } from './unknown-step.ts';

/** A step of an attempt at an activation. */
export interface AttemptedStep {
  readonly activation: ActivationId;
  readonly token: string;
  readonly step: number;
  readonly name: string;
  /** Hash of the request that it makes. */
  readonly request: string;
}

/** Announces a side effect of an activation. */
export interface StartStepCommand extends AttemptedStep {
  readonly type: 'step.start';
  /** The model that gave no answer, in whose place another one is asked. */
  readonly insteadOf?: string;
  readonly tallies?: Tallies;
  /**
   * Most that the call may use; `unlimited` as long as the worker knows no budget. Absent: the call costs
   * nothing.
   */
  readonly worst?: CallBound | 'unlimited';
  /** Hash of the call that it makes, which a person must have approved; absent: it needs no approval. */
  readonly approval?: string;
  /** It makes no call: a rule or a person refuses it. */
  readonly refused?: true;
  /** Result of the step before it, which is stored first. */
  readonly completes?: CompleteStepCommand;
  /** The request of a model call, if it is to be stored. */
  readonly asked?: NewRequest;
  /**
   * The call must not be made twice: replicas have to know that it begins. `again`: another attempt has begun it, and a rule
   * says that it is repeated although its outcome is unknown.
   */
  readonly once?: 'first' | 'again';
}

/**
 * Tallies of the run by key, as a worker read them; a step that counts is refused when one of them has changed since.
 */
type Tallies = Readonly<Record<string, number>>;

/** Stores the result of a side effect. */
export interface CompleteStepCommand extends AttemptedStep {
  readonly type: 'step.complete';
  readonly usage?: Usage;
  /** The model that was asked; absent for other calls. */
  readonly model?: string;
  readonly failed?: true;
  /** Files that the activation has changed. */
  readonly files?: readonly FileChange[];
  /** The call failed and costs nothing. Without this and `usage`, it is charged its worst case. */
  readonly free?: true;
  /** The outcome of the call is unknown, and this rule decides: the result says so. */
  readonly unknown?: UnknownRule;
  readonly bodies: readonly MessageBody[];
}

/**
 * Records that a side effect is about to happen, and raises its tallies, whether or not a result follows. When a worker
 * was wrongly taken for dead, two attempts may make the same call: the second one shares the step of the first. A call
 * that the budget has no room for is not started: the activation waits for room.
 */
export function startStep(context: DecisionContext, command: StartStepCommand): Refusal | undefined {
  const { draft, emit } = context;
  const live = liveActivation(draft, command);
  if (live.type === 'refused') return live;
  const { activation, step, tallies } = command;
  const need = reservationOf(draft, command);
  if (need?.type === 'refused') return need;
  const known = sameStep(draft, command);
  if (known !== undefined && known.result === undefined && isBegunAgain(known, command))
    return beginAgain(context, { known, command });
  // Each attempt of a call may cost, so a second attempt needs a reservation like the first.
  if (known !== undefined && (need === undefined || known.result !== undefined))
    return refuse('STEP_BEGUN', `Step ${step} of activation ${activation} has already been started.`);
  const read = known === undefined && tallies !== undefined ? Object.entries(tallies) : [];
  const obstacle = obstacleTo(draft, command, { known, read });
  if (obstacle !== undefined) return obstacle;
  if (known?.reserved !== undefined) emit({ type: 'step.lost', activation, step });
  if (need !== undefined && !admitModelCall(context, activation, need.reservation.amount)) return undefined;
  if (known === undefined) emit(startedEvent(context, { command, read }));
  if (need !== undefined) emit({ type: 'step.reserved', activation, step, ...need.reservation });
  return undefined;
}

/** Returns whether a step begins again that another attempt has begun: a rule says so, or its call is decided on in another way by now. */
const isBegunAgain = (known: StepRecord, command: StartStepCommand): boolean =>
  command.once === 'again' || isDecidedAnew(known, command);

const isDecidedAnew = (known: StepRecord, { approval, refused }: StartStepCommand): boolean =>
  refused !== true && (known.refused === true || (approval !== undefined && approval !== known.approval));

interface KnownStep {
  readonly known: StepRecord;
  readonly command: StartStepCommand;
}

/** Begins a call again; under another decision, the journal says by which one. */
function beginAgain(context: DecisionContext, { known, command }: KnownStep): Refusal | undefined {
  const { activation, step, name, once } = command;
  const isDecided = isDecidedAnew(known, command);
  const missing = isDecided ? approvalMissing(context.draft, command) : undefined;
  if (missing !== undefined) return missing;
  if (once === 'again' && known.refused !== true) noteUnknownStep(context, { activation, step, name, rule: 'repeat' });
  if (isDecided) context.emit(startedEvent(context, { command, read: [] }));
  return undefined;
}

type ReadTallies = readonly (readonly [key: string, value: number])[];

/** Returns the reason for which a step does not begin: its tallies have changed, or its call is not approved. */
function obstacleTo(
  draft: Draft,
  command: StartStepCommand,
  { known, read }: { readonly known: StepRecord | undefined; readonly read: ReadTallies },
): Refusal | undefined {
  if (known !== undefined) return undefined;
  if (read.some(([key, value]) => (draft.get(`tally/${key}`) ?? 0) !== value))
    return refuse('TALLY_MOVED', 'Another command changed the tally at the same time. Read it again.');
  return approvalMissing(draft, command);
}

/** Refuses a call that nobody has approved as it is, and one whose approval another step has used. */
function approvalMissing(draft: Draft, { activation, approval }: StartStepCommand): Refusal | undefined {
  if (approval === undefined) return undefined;
  const given = approvalsOf(draft, activation).find(
    ({ decided }) => decided?.decision === 'approve' && decided.hash === approval,
  );
  if (given === undefined)
    return refuse('APPROVAL_MISMATCH', `The call with the hash ${approval} is not the one that was approved.`);
  if (given.used === undefined) return undefined;
  return refuse(
    'APPROVAL_USED',
    `Call ${given.place} of activation ${activation} has been made already with its approval; a further one needs another.`,
  );
}

function startedEvent(
  context: DecisionContext,
  { command, read }: { readonly command: StartStepCommand; readonly read: ReadTallies },
): EventOf<'step.started'> {
  const { activation, step, name, request, insteadOf, asked, approval, refused } = command;
  const counts = read.length === 0 ? undefined : Object.fromEntries(read.map(([key, value]) => [key, value + 1]));
  const stored = asked && storeRequest(context, asked);
  return omitUndefined({
    type: 'step.started',
    activation,
    step,
    name,
    request,
    insteadOf,
    counts,
    approval,
    refused,
    asked: stored?.asked,
    bodies: stored?.bodies,
  });
}

interface Reservation {
  readonly amount: Amount;
  readonly model: string;
}

/** Returns what a step reserves in the budget; undefined if it costs nothing or the run has no budget. */
function reservationOf(
  draft: Draft,
  { worst }: StartStepCommand,
): Refusal | { readonly type: 'need'; readonly reservation: Reservation } | undefined {
  const budget = draft.get('budget');
  if (budget === undefined || worst === undefined) return undefined;
  const amount = worst === 'unlimited' ? undefined : reservationFor(budget, worst);
  if (worst === 'unlimited' || amount === undefined)
    return refuse('BUDGET_MOVED', 'The worker did not know that the run has this budget.');
  return { type: 'need', reservation: { amount, model: worst.model } };
}

/** Returns the step that was started at this position with the same request, if there is one. */
function sameStep(draft: Draft, { activation, step, name, request }: StartStepCommand): StepRecord | undefined {
  const record = draft.get(`step/${activation}/${step}`);
  return record?.name === name && record.request === request ? record : undefined;
}

/** Stores the result of a side effect, so that no later attempt repeats it. */
export function completeStep(context: DecisionContext, command: CompleteStepCommand): Refusal | undefined {
  const { plan, draft, emit, toMessageRef } = context;
  const live = liveActivation(draft, command);
  if (live.type === 'refused') return live;
  const { activation, step, name, request, usage, model, failed, unknown, files = [] } = command;
  const record = draft.get(`step/${activation}/${step}`);
  if (record?.name !== name || record.request !== request)
    return refuse('STEP_UNKNOWN', `Activation ${activation} has no step ${step} with this request.`);
  if (record.result !== undefined)
    return refuse('STEP_COMPLETED', `Step ${step} of activation ${activation} is already completed.`);
  const { id } = toMessageRef({ role: 'tool', source: '', body: 0 });
  const charge = chargeFor(draft, record, command);
  emit(
    omitUndefined({
      type: 'step.completed',
      activation,
      step,
      result: id,
      usage,
      model: usage && model,
      failed,
      charge,
    }),
  );
  if (unknown !== undefined) noteUnknownStep(context, { activation, step, name, rule: unknown });
  wakeFundedActivations(context);
  if (files.length === 0) return undefined;
  const { frame, node } = locateActivation(plan, draft, live.record);
  emit({ type: 'files.changed', activation, node: node?.id ?? '', frame, step, files });
  return undefined;
}

/** Returns the charge of a step: what it used, or its reservation if that is unknown. */
function chargeFor(draft: Draft, { reserved }: StepRecord, { usage, free }: CompleteStepCommand): Amount | undefined {
  if (draft.get('budget') === undefined || free === true) return undefined;
  if (usage === undefined) return reserved;
  return { tokens: tokensOf(usage), microUsd: usage.microUsd ?? reserved?.microUsd ?? 0 };
}
