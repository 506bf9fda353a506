import type { Amount, Budget, WorstCase } from '../../model/budget.ts';
import { formatDollars } from '../../model/budget.ts';
import type { ActivationId } from '../../model/ids.ts';

/**
 * What a run may spend, what it has spent, and what is set aside for calls under way. The worst case of a call is set
 * aside in the commit that begins its step, and gives way to what it really used in the commit that completes it. So
 * `spent` stays within the limit, whatever happens in parallel or is lost, as long as no call uses more than its worst case.
 */
export interface BudgetRecord {
  readonly limit: Budget;
  readonly spent: Amount;
  readonly reserved: Amount;
  /** Part of `spent`: worst cases of calls of which nobody knows what became of them. */
  readonly lost: Amount;
  /** The activation that has asked a person for more, as long as it waits for that. */
  readonly asking?: ActivationId;
}

/** Nothing. */
export const zeroAmount: Amount = { tokens: 0, microUsd: 0 };

/** Both together. */
export const addAmounts = (a: Amount, b: Amount): Amount => ({
  tokens: a.tokens + b.tokens,
  microUsd: a.microUsd + b.microUsd,
});

/** The first without the second. */
export const subtractAmounts = (a: Amount, b: Amount): Amount => ({
  tokens: a.tokens - b.tokens,
  microUsd: a.microUsd - b.microUsd,
});

/** Whether the budget has room for an amount: now, as soon as calls under way turn out cheaper than they might, or never. */
export function budgetCapacityFor({ limit, spent, reserved }: BudgetRecord, need: Amount): 'now' | 'later' | 'never' {
  if (!isWithin(addAmounts(spent, need), limit)) return 'never';
  return isWithin(addAmounts(addAmounts(spent, reserved), need), limit) ? 'now' : 'later';
}

const isWithin = ({ tokens, microUsd }: Amount, limit: Budget): boolean =>
  tokens <= (limit.tokens ?? Number.POSITIVE_INFINITY) && microUsd <= (limit.microUsd ?? Number.POSITIVE_INFINITY);

/** A worst case as an amount to set aside; undefined when it says too little for this budget. */
export function reservationFor({ limit }: BudgetRecord, worst: WorstCase): Amount | undefined {
  if (limit.microUsd !== undefined && worst.microUsd === undefined) return undefined;
  return { tokens: worst.tokens, microUsd: worst.microUsd ?? 0 };
}

/** Says for people why the run cannot go on with a call that may use so much. */
export function budgetExceededText({ limit, spent }: BudgetRecord, need: Amount): string {
  const { tokens, microUsd } = limit;
  if (tokens !== undefined && spent.tokens + need.tokens > tokens)
    return `The budget of ${tokens} tokens is used up: ${spent.tokens} are spent, and the next call may use ${need.tokens}.`;
  return `The budget of ${formatDollars(microUsd ?? 0)} is used up: ${formatDollars(spent.microUsd)} is spent, and the next call may cost ${formatDollars(need.microUsd)}.`;
}
