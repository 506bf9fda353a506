import type { ActivationId } from '../../model/ids.ts';
import { rootScope } from '../../model/ids.ts';
import type { BudgetEvent } from '../records/budget-event.ts';
import type { BudgetRecord } from '../records/budget-record.ts';
import { addAmounts, subtractAmounts, zeroAmount } from '../records/budget-record.ts';
import type { ActivationRecord, StepRecord } from '../records/records.ts';
import { runOf } from '../state/lookup.ts';
import type { Draft } from '../state/state.ts';

/** The activations that are short of money, in the order in which they came. */
export const budgetQueueKey = `short/${rootScope}` as const;

/** Folds an event about money. */
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
      // It is the first one.
      draft.trim(budgetQueueKey, draft.size(budgetQueueKey) - 1);
      return countWaiting(draft, -1);
    }
    case 'step.reserved': {
      const key = `step/${event.activation}/${event.step}` as const;
      const step = draft.get(key);
      if (step !== undefined) draft.set(key, { ...step, reserved: event.amount });
      return changeBudget(draft, (budget) => ({ reserved: addAmounts(budget.reserved, event.amount) }));
    }
    case 'step.lost':
      return chargeLostStep(draft, `step/${event.activation}/${event.step}`);
  }
}

/** Charges in full what was set aside for a step of which nobody will know what became of it. */
export function chargeLostStep(draft: Draft, key: `step/${ActivationId}/${number}`): void {
  const step = draft.get(key);
  if (step?.reserved === undefined) return;
  const { reserved: amount, ...rest } = step;
  draft.set(key, rest);
  changeBudget(draft, ({ spent, reserved, lost }) => ({
    spent: addAmounts(spent, amount),
    reserved: subtractAmounts(reserved, amount),
    lost: addAmounts(lost, amount),
  }));
}

/** The step without what was set aside for it, which gives way to what the call has really taken. */
export function chargeStep(draft: Draft, step: StepRecord, charge = zeroAmount): StepRecord {
  const { reserved: amount = zeroAmount, ...rest } = step;
  changeBudget(draft, ({ spent, reserved }) => ({
    spent: addAmounts(spent, charge),
    reserved: subtractAmounts(reserved, amount),
  }));
  return rest;
}

/** Notes that an activation asks for more, so that no other one does. */
export function recordBudgetQuestion(draft: Draft, asking: ActivationId): void {
  changeBudget(draft, () => ({ asking }));
}

/** What it asked and was answered is settled by the new budget. */
function withdrawQuestion(draft: Draft, asking: ActivationId): void {
  const record = draft.get(`activation/${asking}`);
  if (record?.wait?.kind !== 'budget' || record.answer === undefined) return;
  const { wait: _question, answer: _taken, ...rest } = record;
  draft.set(`activation/${asking}`, rest);
}

/** What a run that had no budget so far has spent counts, too. */
function newBudget(draft: Draft): BudgetRecord {
  const {
    promptTokens,
    completionTokens,
    microUsd = 0,
  } = draft.get('run')?.usage ?? { promptTokens: 0, completionTokens: 0 };
  return {
    limit: {},
    spent: { tokens: promptTokens + completionTokens, microUsd },
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

/** It no longer waits for money. */
export function leaveBudgetQueue(draft: Draft, activation: ActivationId): void {
  const line = draft.list(budgetQueueKey);
  if (!line.includes(activation)) return;
  draft.trim(budgetQueueKey, 0);
  draft.append(
    budgetQueueKey,
    line.filter((one) => one !== activation),
  );
  countWaiting(draft, -1);
}
