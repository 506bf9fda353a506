import type { ProjectedEvent } from '../engine/records/journal-event.ts';
import { addAmounts, subtractAmounts, zeroAmount } from '../model/usage/budget.ts';
import { tokensOf } from '../model/usage/usage.ts';
import type { Of } from './projected-entry.ts';
import type { BudgetLimit, LiveProjection, RunProjection } from './run-projection.ts';

/** Applies what an event says of the budget of the run. */
export function projectBudget(projection: RunProjection, event: ProjectedEvent): void {
  switch (event.type) {
    case 'run.started':
      if (event.budget !== undefined) limitSpending(projection, event.budget);
      return;
    case 'run.budgeted':
      return limitSpending(projection, event.budget);
    case 'step.reserved':
      return reserve(projection, event);
    case 'step.lost':
      return releaseReserved(projection, projection.live.get(event.activation), (step) => step === event.step);
    case 'step.started':
      // A step with a different request voids all later steps of the attempt.
      return releaseReserved(projection, projection.live.get(event.activation), (step) => step >= event.step);
    case 'step.completed':
      return charge(projection, event);
    case 'activation.failed':
    case 'run.forked':
      return releaseReserved(projection, projection.live.get(event.activation));
    case 'run.finished':
      if (event.status === 'cancelled') for (const one of projection.live.values()) releaseReserved(projection, one);
      return;
    default:
      return;
  }
}

/** Removes an activation that has settled. */
export function removeLive(projection: RunProjection, id: string): LiveProjection | undefined {
  const one = projection.live.get(id);
  releaseReserved(projection, one);
  projection.live.delete(id);
  return one;
}

/** Limits the spending of a run from here on; what it has used already counts. */
function limitSpending(projection: RunProjection, limit: BudgetLimit): void {
  const { budget, usage } = projection;
  const spent = { tokens: tokensOf(usage), microUsd: usage.microUsd ?? 0 };
  projection.budget = { ...(budget ?? { spent, reserved: zeroAmount, lost: zeroAmount }), limit };
}

function reserve(projection: RunProjection, { activation, step, amount }: Of<'step.reserved'>): void {
  const { budget, live } = projection;
  const one = live.get(activation);
  if (budget === null || one === undefined) return;
  one.reserved = [...(one.reserved ?? []), { step, amount }];
  projection.budget = { ...budget, reserved: addAmounts(budget.reserved, amount) };
}

/** Charges what a call used instead of what was reserved for it. */
function charge(projection: RunProjection, event: Of<'step.completed'>): void {
  const { budget, live } = projection;
  const one = live.get(event.activation);
  if (budget === null || one === undefined) return;
  const amount = one.reserved?.find(({ step }) => step === event.step)?.amount ?? zeroAmount;
  keepReserved(one, ({ step }) => step !== event.step);
  projection.budget = {
    ...budget,
    spent: addAmounts(budget.spent, event.charge ?? zeroAmount),
    reserved: subtractAmounts(budget.reserved, amount),
    // What is charged for a call that did not say what it used is lost.
    lost: addAmounts(budget.lost, event.usage === undefined ? (event.charge ?? zeroAmount) : zeroAmount),
  };
}

/** Charges what is reserved for calls of an activation whose outcome will never be known. */
function releaseReserved(
  projection: RunProjection,
  one: LiveProjection | undefined,
  isLost: (step: number) => boolean = () => true,
): void {
  for (const { step, amount } of one?.reserved ?? []) {
    const { budget } = projection;
    if (!isLost(step) || budget === null) continue;
    projection.budget = {
      ...budget,
      spent: addAmounts(budget.spent, amount),
      reserved: subtractAmounts(budget.reserved, amount),
      lost: addAmounts(budget.lost, amount),
    };
  }
  if (one !== undefined) keepReserved(one, ({ step }) => !isLost(step));
}

function keepReserved(one: LiveProjection, isKept: (reservation: { readonly step: number }) => boolean): void {
  const kept = one.reserved?.filter(isKept) ?? [];
  if (kept.length > 0) one.reserved = kept;
  else delete one.reserved;
}
