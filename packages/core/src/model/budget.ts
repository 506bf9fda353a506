/** Tokens of prompts and answers, and what they cost in micro-dollars. */
export interface Amount {
  readonly tokens: number;
  readonly microUsd: number;
}

/** What a run may spend in all; what is absent is not limited. */
export interface Budget {
  readonly tokens?: number;
  readonly microUsd?: number;
  /** A person is asked for more before the run is stopped. */
  readonly ask?: true;
}

/** What a model call may come to at most. */
export interface WorstCase {
  readonly tokens: number;
  /** Absent: the price of the model is not known. */
  readonly microUsd?: number;
}

/** An amount of money for people, as in `$0.0123`. */
export function formatDollars(microUsd: number): string {
  const text = (microUsd / 1_000_000).toFixed(6).replace(/0{1,4}$/, '');
  return `$${text}`;
}

/** A limit in US dollars beyond which millionths could not be counted any more. */
export const maxBudgetDollars = 1_000_000_000;

/** A budget as people write it, in US dollars. */
export const budgetFromDollars = ({
  tokens,
  usd,
}: {
  readonly tokens?: number | undefined;
  readonly usd?: number | undefined;
}): Budget => ({
  ...(tokens === undefined ? {} : { tokens }),
  // Nobody means less than what a binary fraction makes of 0.07.
  ...(usd === undefined ? {} : { microUsd: Math.round(usd * 1_000_000) }),
});

/** What somebody who was asked for more decides: a new limit of the whole run, or that it stops. */
export type BudgetAnswer = Pick<Budget, 'tokens' | 'microUsd'> | 'stop';

/** Reads such an answer: `stop`, `5 usd`, `$5`, `200000 tokens`, or both limits; undefined when it says something else. */
export function readBudgetAnswer(text: string): BudgetAnswer | undefined {
  const words = text.trim().toLowerCase().replaceAll(/[,_]/g, '');
  if (words === 'stop') return 'stop';
  const usd = /(?:^|\s)(?:\$\s*(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)\s*(?:usd|dollars?))(?=\s|$)/.exec(words);
  const tokens = /(?:^|\s)(\d+)\s*tokens?(?=\s|$)/.exec(words);
  if (usd === null && tokens === null) return undefined;
  if (Number(usd?.[1] ?? usd?.[2] ?? 0) > maxBudgetDollars || Number(tokens?.[1] ?? 0) > Number.MAX_SAFE_INTEGER)
    return undefined;
  return {
    ...(usd === null ? {} : { microUsd: Math.round(Number(usd[1] ?? usd[2]) * 1_000_000) }),
    ...(tokens === null ? {} : { tokens: Number(tokens[1]) }),
  };
}
