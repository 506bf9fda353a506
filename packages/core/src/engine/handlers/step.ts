import type { Amount } from '../../model/budget.ts';
import type { Command } from '../commands/command.ts';
import type { Refusal } from '../commands/refusal.ts';
import { refuse } from '../commands/refusal.ts';
import { reservationFor } from '../records/budget-record.ts';
import type { StepRecord } from '../records/records.ts';
import type { DecisionContext } from '../state/decision-context.ts';
import { liveActivation } from '../state/live.ts';
import { locateActivation } from '../state/lookup.ts';
import type { Draft } from '../state/state.ts';
import { admitModelCall, wakeFundedActivations } from './budget.ts';

type StepStart = Extract<Command, { type: 'step.start' }>;
type StepComplete = Extract<Command, { type: 'step.complete' }>;

/**
 * Notes that a side effect is about to happen. What it counts is counted from here on, whether it comes back or not.
 * When a worker was taken for dead, two attempts may ask for the same: the second one shares what the first has begun.
 * A call that the budget has no room for is not begun: the activation waits for room instead.
 */
export function startStep(context: DecisionContext, command: StepStart): Refusal | undefined {
  const { draft, emit } = context;
  const live = liveActivation(draft, command);
  if (live.type === 'refused') return live;
  const { activation, step, name, request, tallies } = command;
  const need = setAside(draft, command);
  if (need?.type === 'refused') return need;
  const known = sameStep(draft, command);
  // Each attempt at a call may cost, so a second one has to be paid for like the first.
  if (known !== undefined && (need === undefined || known.result !== undefined))
    return refuse('STEP_BEGUN', `Step ${step} of activation ${activation} has been begun already.`);
  const read = known === undefined ? Object.entries(tallies ?? {}) : [];
  if (read.some(([key, value]) => (draft.get(`tally/${key}`) ?? 0) !== value)) {
    return refuse('TALLY_MOVED', 'Somebody else counted at the same time; read again.');
  }
  if (known?.reserved !== undefined) emit({ type: 'step.lost', activation, step });
  if (need !== undefined && !admitModelCall(context, activation, need.amount)) return undefined;
  const counts = Object.fromEntries(read.map(([key, value]) => [key, value + 1]));
  if (known === undefined)
    emit({ type: 'step.started', activation, step, name, request, ...(read.length === 0 ? {} : { counts }) });
  if (need !== undefined) emit({ type: 'step.reserved', activation, step, amount: need.amount });
  return undefined;
}

/** What a step needs from the budget; undefined when it costs nothing, or may cost what it wants. */
function setAside(
  draft: Draft,
  { worst }: StepStart,
): Refusal | { readonly type: 'need'; readonly amount: Amount } | undefined {
  const budget = draft.get('budget');
  if (budget === undefined || worst === undefined) return undefined;
  const amount = worst === 'unlimited' ? undefined : reservationFor(budget, worst);
  if (amount === undefined) return refuse('BUDGET_MOVED', 'The run has a budget that its worker did not know of.');
  return { type: 'need', amount };
}

/** The step that was begun at this place with the same request, if there is one. */
function sameStep(draft: Draft, { activation, step, name, request }: StepStart): StepRecord | undefined {
  const record = draft.get(`step/${activation}/${step}`);
  return record?.name === name && record.request === request ? record : undefined;
}

/** Remembers what a side effect came to, so that no later attempt repeats it. */
export function completeStep(context: DecisionContext, command: StepComplete): Refusal | undefined {
  const { plan, draft, emit, toMessageRef } = context;
  const live = liveActivation(draft, command);
  if (live.type === 'refused') return live;
  const { activation, step, name, request, usage, failed, files = [] } = command;
  const record = draft.get(`step/${activation}/${step}`);
  if (record?.name !== name || record.request !== request)
    return refuse('STEP_UNKNOWN', `Activation ${activation} has no step ${step} with this request (any more).`);
  if (record.result !== undefined)
    return refuse('STEP_COMPLETED', `Step ${step} of activation ${activation} is complete already.`);
  const { id } = toMessageRef({ role: 'tool', source: '', body: 0 });
  const charge = chargeFor(draft, record, command);
  emit({
    type: 'step.completed',
    activation,
    step,
    result: id,
    ...(usage === undefined ? {} : { usage }),
    ...(failed === undefined ? {} : { failed }),
    ...(charge === undefined ? {} : { charge }),
  });
  wakeFundedActivations(context);
  if (files.length === 0) return undefined;
  const { frame, node } = locateActivation(plan, draft, live.record);
  emit({ type: 'files.changed', activation, node: node?.id ?? '', frame, step, files });
  return undefined;
}

/** What a step takes from the budget: what it used, or all that it could have used when nobody knows. */
function chargeFor(draft: Draft, { reserved }: StepRecord, { usage, free }: StepComplete): Amount | undefined {
  if (draft.get('budget') === undefined || free === true) return undefined;
  if (usage === undefined) return reserved;
  return { tokens: usage.promptTokens + usage.completionTokens, microUsd: usage.microUsd ?? reserved?.microUsd ?? 0 };
}
