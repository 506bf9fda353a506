import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import { Option } from 'commander';
import type { RunOptions } from '../../follow/run-workflow.ts';
import { collectTags, durationArgument, parsePriority } from '../../options/arguments.ts';
import type { BudgetFlags } from '../../options/run-options.ts';
import {
  addAttachOption,
  addBudgetOptions,
  addInputOption,
  addWorkflowOptions,
  budgetOf,
} from '../../options/run-options.ts';
import type { Cli } from '../../process/cli.ts';
import { parseAssignments } from '../../workflow/text-argument.ts';

interface RunFlags extends Omit<RunOptions, 'variables' | 'budget'>, BudgetFlags {
  readonly var?: string[];
}

/** `millrace run`: starts a workflow and follows it to its end. */
export function addRun(program: Command, cli: Cli): void {
  const command = program
    .command('run')
    .description('run a workflow and follow it to its end')
    .argument('<file|name>', 'the workflow: a file, or the name of a published one, as NAME or NAME@HASH');
  addAttachOption(addInputOption(addBudgetOptions(command)), 'task');
  addWorkflowOptions(command)
    .option('--tag <word>', 'tag of the run, by which lists are filtered; may be repeated', collectTags)
    .option('--timeout <duration>', 'fail the run when it takes longer, as in 90s, 30m or 2h', durationArgument)
    .option(
      '--ttl <duration>',
      'make the run temporary: lists do not show it, and it is removed so long after its start, as in 1h',
      durationArgument,
    )
    .option('--priority <n>', 'priority: runs without one go first, then 1, 2, … 1000', parsePriority)
    .option('--no-record-requests', 'do not store what models are asked')
    .option('--detach', 'do not wait for the end')
    .option('--strict', 'exit with 1 if the run has warnings')
    .addOption(
      new Option('--local', 'keep the run in memory, without Redis; nothing survives the process').conflicts('detach'),
    )
    .option('--json', 'print {runId, status, output, outputs, data, dataByNode, usage, error}')
    .addHelpText(
      'after',
      '\nExample:\n  millrace run poem.yaml --input "Rain."\n\nExit code: 0 completed, 1 failed, 2 invalid, 5 no Redis, 6 waits for an answer, 130 interrupted (the run continues).',
    )
    .action(async (workflow: string, { var: assignments, budgetUsd, budgetTokens, ...options }: RunFlags) => {
      const { runWorkflow } = await import('../../follow/run-workflow.ts');
      const budget = budgetOf(omitUndefined({ budgetUsd, budgetTokens }));
      await runWorkflow(cli, workflow, {
        ...options,
        variables: parseAssignments(assignments ?? []),
        ...omitUndefined({ budget }),
      });
    });
}
