import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { parseCount } from './count-argument.ts';

/** Options of budgets. */
export interface BudgetFlags {
  readonly budgetUsd?: number;
  readonly budgetTokens?: number;
}

/** Adds the options for the budget of a run. */
export const addBudgetOptions = (command: Command): Command =>
  command
    .option('--budget-usd <dollars>', 'limit of the cost of all model calls, in US dollars', parseDollars)
    .option('--budget-tokens <n>', 'limit of the tokens of all model calls, prompts and answers together', parseCount);

/** Returns the budget of the options; undefined if they set none. */
export function budgetOf({ budgetUsd, budgetTokens }: BudgetFlags): { usd?: number; tokens?: number } | undefined {
  if (budgetUsd === undefined && budgetTokens === undefined) return undefined;
  return omitUndefined({ usd: budgetUsd, tokens: budgetTokens });
}

function parseDollars(text: string): number {
  const dollars = Number(text.replace(/^\$/, ''));
  if (text !== '' && dollars >= 0 && dollars <= 1e9) return dollars;
  throw new InvalidArgumentError('Write an amount such as 2.50, at most a billion.');
}
