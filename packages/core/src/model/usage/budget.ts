import type { Amount as AmountSchema, Budget as BudgetSchema, Recorded } from '../recorded.ts';

/** Tokens of prompts and answers, and their cost in micro-dollars. */
export type Amount = Recorded<typeof AmountSchema>;

/** The amount 0. */
export const zeroAmount: Amount = { tokens: 0, microUsd: 0 };

/** Returns a + b. */
export const addAmounts = (a: Amount, b: Amount): Amount => ({
  tokens: a.tokens + b.tokens,
  microUsd: a.microUsd + b.microUsd,
});

/** Returns a - b. */
export const subtractAmounts = (a: Amount, b: Amount): Amount => ({
  tokens: a.tokens - b.tokens,
  microUsd: a.microUsd - b.microUsd,
});

/** Limits of a run's spending; an absent field is not limited. */
export type Budget = Recorded<typeof BudgetSchema>;

/** Upper bound of the usage of a model call. */
export interface WorstCase {
  readonly tokens: number;
  /** Absent: the price of the model is unknown. */
  readonly microUsd?: number;
}

/** Upper bound of the usage of a call of a model. */
export interface CallBound extends WorstCase {
  /** Name of the model. */
  readonly model: string;
}

/** Tests if a call used more than its upper bound. */
export const isAboveWorstCase = (
  { tokens, microUsd = Number.POSITIVE_INFINITY }: WorstCase,
  used: { readonly promptTokens: number; readonly completionTokens: number; readonly microUsd?: number },
): boolean => used.promptTokens + used.completionTokens > tokens || (used.microUsd ?? 0) > microUsd;

/** Returns an amount of money for people, as in `$0.0123`. */
export function formatDollars(microUsd: number): string {
  const text = (Math.abs(microUsd) / 1_000_000).toFixed(6).replace(/0{1,4}$/, '');
  return `${microUsd < 0 ? '-' : ''}$${text}`;
}

/** Largest limit in US dollars; beyond it, millionths could not be counted exactly. */
export const maxBudgetDollars = 1_000_000_000;

/** Returns a budget whose limit was written in US dollars. */
export const budgetFromDollars = ({
  tokens,
  usd,
}: {
  readonly tokens?: number | undefined;
  readonly usd?: number | undefined;
}): Budget => ({
  ...(tokens === undefined ? {} : { tokens }),
  // Rounds because 0.07 is slightly less as a binary fraction.
  ...(usd === undefined ? {} : { microUsd: Math.round(usd * 1_000_000) }),
});

/** Answer to a question for a larger budget: new limits of the whole run, or that it stops. */
export type BudgetAnswer = Pick<Budget, 'tokens' | 'microUsd'> | 'stop';

/** Parses such an answer: `stop`, `5 usd`, `$5`, `200000 tokens`, or both limits; undefined for anything else. */
export function readBudgetAnswer(text: string): BudgetAnswer | undefined {
  const answer = text.trim().toLowerCase().replaceAll(/[,_]/g, '');
  if (answer === 'stop') return 'stop';
  const usd = /(?:^|\s)(?:\$\s*(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)\s*(?:usd|dollars?))(?=\s|$)/.exec(answer);
  const tokens = /(?:^|\s)(\d+)\s*tokens?(?=\s|$)/.exec(answer);
  if (usd === null && tokens === null) return undefined;
  if (Number(usd?.[1] ?? usd?.[2] ?? 0) > maxBudgetDollars || Number(tokens?.[1] ?? 0) > Number.MAX_SAFE_INTEGER)
    return undefined;
  return {
    ...(usd === null ? {} : { microUsd: Math.round(Number(usd[1] ?? usd[2]) * 1_000_000) }),
    ...(tokens === null ? {} : { tokens: Number(tokens[1]) }),
  };
}
