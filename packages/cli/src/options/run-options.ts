import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import { collect, parseCount } from './arguments.ts';

/** Adds the options for the task of a run. */
export const addInputOption = (command: Command): Command =>
  command.option('--input <text>', 'the task: a text, @FILE, or - for standard input');

/** Adds the option for variables of the environment that texts of a workflow may contain. */
export const addEnvironmentOption = (command: Command): Command =>
  command.option(
    '--allow-env <name>',
    'let texts use this variable of the environment, though it looks like a secret or belongs to the machine; may be repeated',
    collect,
  );

/** Returns the option for the behaviour of another engine. */
export const compatOption = (): Option =>
  new Option('--compat <engine>', 'behave like this engine where Millrace differs').choices(['chatdev']);

/** Adds the common options of `run` and `dev`: variables, prepared answers and scripted models. */
export const addWorkflowOptions = (command: Command): Command =>
  addEnvironmentOption(command)
    .option('--var <name=value>', 'set a variable of the workflow; may be repeated', collect)
    .option(
      '--answers <file>',
      'replies for human nodes: a YAML list in the order of the questions, or a mapping by node',
    )
    .option('--script <file>', 'answer every agent from this script instead of its model')
    .option('--prices <file>', 'prices of models in YAML; they take precedence over those of the workflow')
    .addOption(compatOption());

/** Adds the option for files that are attached to a task or an answer. */
export const addAttachOption = (command: Command, to: 'task' | 'answer'): Command =>
  command.option(
    '--attach <file>',
    `attach a file, or the id of an uploaded one, to the ${to}; may be repeated`,
    collect,
  );

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
