import type { ActivationId } from '../../model/ids.ts';
import { rootScope } from '../../model/ids.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { Amount } from '../../model/usage/budget.ts';
import { addAmounts, subtractAmounts, zeroAmount } from '../../model/usage/budget.ts';
import { tokensOf } from '../../model/usage/usage.ts';
import type { EventOf } from '../records/event.ts';
import type { ActivationRecord, BudgetRecord, StepRecord } from '../records/records.ts';
import { runOf } from '../state/lookup.ts';
import type { Draft } from '../state/state.ts';

/** Queue of activations that wait for room in the budget, in the order of arrival. */
export const budgetQueueKey = `short/${rootScope}` as const;

/** Events of the budget of a run. */
export type BudgetEvent = EventOf<
  'run.budgeted' | 'activation.short' | 'activation.funded' | 'step.reserved' | 'step.lost'
>;

/** Folds an event of the budget. */
export function evolveBudget({ draft, at }: { readonly draft: Draft; readonly at: number }, event: BudgetEvent): void {
  switch (event.type) {
    case 'run.budgeted': {
      const { asking, ...budget } = draft.get('budget') ?? newBudget(draft);
      if (asking !== undefined) withdrawQuestion(draft, asking);
      return draft.set('budget', { ...budget, limit: event.budget });
    }
    case 'activation.short': {
      const { startedAt: _past, ...record } = liveOf(draft, event.activation);
      draft.set(`activation/${event.activation}`, { ...record, short: event.need });
      draft.append(budgetQueueKey, [event.activation]);
      return countWaiting(draft, 1);
    }
    case 'activation.funded': {
      const { short: _need, ...record } = liveOf(draft, event.activation);
      draft.set(`activation/${event.activation}`, { ...record, token: event.token, readyAt: at });
      // The activation is the first in the queue.
      draft.trim(budgetQueueKey, draft.size(budgetQueueKey) - 1);
      return countWaiting(draft, -1);
    }
    case 'step.reserved': {
      const key = `step/${event.activation}/${event.step}` as const;
      const step = draft.get(key);
      if (step !== undefined)
        draft.set(key, { ...step, reserved: event.amount, ...omitUndefined({ model: event.model }) });
      return changeBudget(draft, (budget) => ({ reserved: addAmounts(budget.reserved, event.amount) }));
    }
    case 'step.lost':
      return chargeLostStep(draft, `step/${event.activation}/${event.step}`);
  }
}

/** Charges the steps of an activation whose outcome will never be known. */
export function chargeLostSteps(draft: Draft, id: ActivationId, { steps = 0 }: ActivationRecord): void {
  for (let step = 0; step < steps; step++) chargeLostStep(draft, `step/${id}/${step}`);
}

/** Charges the full reservation of a step whose outcome will never be known. */
export function chargeLostStep(draft: Draft, key: `step/${ActivationId}/${number}`): void {
  const step = draft.get(key);
  if (step?.reserved === undefined) return;
  const { reserved: amount, model = '', ...rest } = step;
  draft.set(key, rest);
  addLost(draft, model, amount);
  changeBudget(draft, ({ spent, reserved, lost }) => ({
    spent: addAmounts(spent, amount),
    reserved: subtractAmounts(reserved, amount),
    lost: addAmounts(lost, amount),
  }));
}

/**
 * Returns the step without its reservation, after the budget is charged with what the call used instead. What is charged
 * for a call that did not say what it used, such as one that timed out, is lost.
 */
export function chargeStep(
  draft: Draft,
  step: StepRecord,
  { charge = zeroAmount, usage }: Pick<EventOf<'step.completed'>, 'charge' | 'usage'>,
): StepRecord {
  if (draft.get('budget') === undefined) return step;
  const { reserved: amount = zeroAmount, model = '', ...rest } = step;
  const unknown = usage === undefined ? charge : zeroAmount;
  if (unknown.tokens > 0 || unknown.microUsd > 0) addLost(draft, model, unknown);
  changeBudget(draft, ({ spent, reserved, lost }) => ({
    spent: addAmounts(spent, charge),
    reserved: subtractAmounts(reserved, amount),
    lost: addAmounts(lost, unknown),
  }));
  return rest;
}

const addLost = (draft: Draft, model: string, amount: Amount): void =>
  draft.set(`lost/${model}`, addAmounts(draft.get(`lost/${model}`) ?? zeroAmount, amount));

/** Records that an activation asks a person for a larger budget, so that no other one does. */
export function recordBudgetQuestion(draft: Draft, asking: ActivationId): void {
  changeBudget(draft, () => ({ asking }));
}

/** Withdraws the question of an activation after the new budget has answered it. */
function withdrawQuestion(draft: Draft, asking: ActivationId): void {
  const record = draft.get(`activation/${asking}`);
  if (record?.wait?.kind !== 'budget' || record.answer === undefined) return;
  const { wait: _question, answer: _taken, ...rest } = record;
  draft.set(`activation/${asking}`, rest);
}

/** Returns the budget of a run that had none so far; what the run has used already counts as spent. */
function newBudget(draft: Draft): BudgetRecord {
  const usage = draft.get('run')?.usage;
  return {
    limit: {},
    spent: { tokens: tokensOf(usage), microUsd: usage?.microUsd ?? 0 },
    reserved: zeroAmount,
    lost: zeroAmount,
  };
}

function changeBudget(draft: Draft, changed: (budget: BudgetRecord) => Partial<BudgetRecord>): void {
  const budget = draft.get('budget');
  if (budget !== undefined) draft.set('budget', { ...budget, ...changed(budget) });
}

function liveOf(draft: Draft, id: ActivationId): ActivationRecord {
  const record = draft.get(`activation/${id}`);
  if (record === undefined) throw new Error(`activation ${id} is not live`);
  return record;
}

function countWaiting(draft: Draft, by: number): void {
  const run = runOf(draft);
  draft.set('run', { ...run, waiting: run.waiting + by });
}

/** Removes an activation from the queue for room in the budget. */
export function leaveBudgetQueue(draft: Draft, activation: ActivationId): void {
  const queue = draft.list(budgetQueueKey);
  if (!queue.includes(activation)) return;
  draft.trim(budgetQueueKey, 0);
  draft.append(
    budgetQueueKey,
    queue.filter((one) => one !== activation),
  );
  countWaiting(draft, -1);
}
