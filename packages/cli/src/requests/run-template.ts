import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import { CommandError, exitCodes } from '../exit/exit.ts';
import { collect, collectTags, durationArgument, parsePriority } from '../options/arguments.ts';
import type { BudgetFlags } from '../options/run-options.ts';
import { addBudgetOptions, addEnvironmentOption, budgetOf, compatOption } from '../options/run-options.ts';
import { issueText } from '../output/issue-report.ts';
import type { Cli } from '../process/cli.ts';
import { parseAssignments } from '../workflow/text-argument.ts';
import type { WorkflowValues } from './workflow-source.ts';
import { isPublished, sourceOfFile } from './workflow-source.ts';

/** Options about runs that are started later, and elsewhere. */
export interface RunTemplateFlags extends BudgetFlags {
  readonly var?: readonly string[];
  readonly allowEnv?: readonly string[];
  readonly tag?: readonly string[];
  readonly compat?: 'chatdev';
  /** In milliseconds. */
  readonly timeout?: number;
  readonly priority?: number;
}

/** Adds the options that such runs have in common. */
export const addRunTemplateOptions = (command: Command): Command =>
  addEnvironmentOption(addBudgetOptions(command))
    .option('--var <name=value>', 'set a variable of the workflow; may be repeated', collect)
    .option('--tag <word>', 'tag of its runs; may be repeated', collectTags)
    .addOption(compatOption())
    .option('--timeout <duration>', 'fail a run when it takes longer, as in 90s, 30m or 2h', durationArgument)
    .option('--priority <n>', 'priority: runs without one go first, then 1, 2, … 1000', parsePriority);

/** Returns the template of such runs, as the API takes it: a file is sent as it is written, with the variables that its texts use. */
export async function runTemplateOf(cli: Cli, named: string, flags: RunTemplateFlags) {
  const { tag, compat, timeout, priority, allowEnv } = flags;
  const options = omitUndefined({ compat, allowedEnvironment: allowEnv });
  const { workflow, vars } = await workflowOf(cli, named, { variables: parseAssignments(flags.var ?? []), ...options });
  return {
    workflow,
    ...(Object.keys(vars).length === 0 ? {} : { vars: { ...vars } }),
    ...(tag === undefined ? {} : { tags: [...tag] }),
    ...(timeout === undefined ? {} : { timeoutSeconds: timeout / 1000 }),
    ...omitUndefined({ compat, priority, budget: budgetOf(flags) }),
  };
}

/** Another workflow for a replay or fork of a run. */
interface WorkflowChange {
  /** Path of its file, or the name of a published one. */
  readonly workflow?: string;
  /** Variables, as `NAME=VALUE`. */
  readonly set?: readonly string[];
  readonly allowedEnvironment?: readonly string[];
}

/** Returns another workflow for a run, or other variables of its own, as the API takes them. */
export async function changedWorkflow(cli: Cli, { workflow, set, ...options }: WorkflowChange) {
  const variables = set === undefined ? undefined : parseAssignments([...set]);
  const other =
    workflow === undefined ? undefined : await workflowOf(cli, workflow, { variables: variables ?? {}, ...options });
  return omitUndefined({ workflow: other?.workflow, vars: other === undefined ? variables : { ...other.vars } });
}

/** Returns a workflow as the API takes it, with the variables that its texts use. */
export async function workflowOf(cli: Cli, named: string, values: WorkflowValues) {
  if (isPublished(named)) return { workflow: named, vars: values.variables };
  const { loaded, source } = await sourceOfFile(cli, named, { ...values, mode: 'check' });
  const secrets = loaded.issues.filter(({ code }) => code === 'E_VARIABLE_SECRET');
  for (const issue of secrets) cli.terminal.say(issueText(issue));
  if (secrets.length > 0) {
    throw new CommandError(exitCodes.invalid, `${named} cannot be sent; nothing was started.`, { issues: secrets });
  }
  const text = source();
  if (text.type !== 'text') throw new Error('a file has a text');
  return { workflow: { yaml: text.yaml }, vars: text.variables };
}
