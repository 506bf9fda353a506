import type { Amount, LiveActivation, Picture } from './picture.ts';

/** No tokens and no money. */
export const nothing: Amount = { tokens: 0, microUsd: 0 };

/** Returns the sum of two amounts. */
export const plus = (one: Amount, other: Amount): Amount => ({
  tokens: one.tokens + other.tokens,
  microUsd: one.microUsd + other.microUsd,
});

/** Returns the remaining part of an amount. */
export const minus = (one: Amount, other: Amount): Amount => ({
  tokens: one.tokens - other.tokens,
  microUsd: one.microUsd - other.microUsd,
});

/** Charges all that is reserved for an activation from a step on: the outcome of its calls will never be known. */
export function releaseReserved({ budget }: Picture, { reserved }: LiveActivation, from = 0): void {
  for (const [step, amount] of [...reserved]) {
    if (step < from) continue;
    reserved.delete(step);
    if (budget === undefined) continue;
    budget.spent = plus(budget.spent, amount);
    budget.reserved = minus(budget.reserved, amount);
    budget.lost = plus(budget.lost, amount);
  }
}
