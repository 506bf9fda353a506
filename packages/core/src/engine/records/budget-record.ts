import type { ActivationId } from '../../model/ids.ts';
import type { Amount, Budget, WorstCase } from '../../model/usage/budget.ts';
import { addAmounts, formatDollars } from '../../model/usage/budget.ts';

/**
 * Limits of a run, what it has spent, and what is reserved for calls under way. The worst case of a call is reserved in
 * the commit that starts its step, and replaced by the actual usage in the commit that completes it. So `spent` stays
 * within the limit, whatever happens in parallel or is lost, as long as no call uses more than its worst case.
 */
export interface BudgetRecord {
  readonly limit: Budget;
  readonly spent: Amount;
  readonly reserved: Amount;
  /** Part of `spent`: worst cases of calls whose outcome will never be known. */
  readonly lost: Amount;
  /** The activation that asks a person for a larger budget, while it waits for the answer. */
  readonly asking?: ActivationId;
}

/** Tells when the budget has room for an amount: now, later if calls under way use less than reserved, or never. */
export function budgetCapacityFor({ limit, spent, reserved }: BudgetRecord, need: Amount): 'now' | 'later' | 'never' {
  if (!isWithin(addAmounts(spent, need), limit)) return 'never';
  return isWithin(addAmounts(addAmounts(spent, reserved), need), limit) ? 'now' : 'later';
}

const isWithin = ({ tokens, microUsd }: Amount, limit: Budget): boolean =>
  tokens <= (limit.tokens ?? Number.POSITIVE_INFINITY) && microUsd <= (limit.microUsd ?? Number.POSITIVE_INFINITY);

/** Returns the amount to reserve for a worst case; undefined if the worst case lacks a price that the budget needs. */
export function reservationFor({ limit }: BudgetRecord, worst: WorstCase): Amount | undefined {
  if (limit.microUsd !== undefined && worst.microUsd === undefined) return undefined;
  return { tokens: worst.tokens, microUsd: worst.microUsd ?? 0 };
}

/** Returns the text that tells people why the budget does not allow the next call. */
export function budgetExceededText({ limit, spent }: BudgetRecord, need: Amount): string {
  const { tokens, microUsd } = limit;
  if (tokens !== undefined && spent.tokens + need.tokens > tokens)
    return `The budget of ${tokens} tokens is used up: ${spent.tokens} are spent, and the next call may use ${need.tokens}.`;
  return `The budget of ${formatDollars(microUsd ?? 0)} is used up: ${formatDollars(spent.microUsd)} is spent, and the next call may cost ${formatDollars(need.microUsd)}.`;
}
