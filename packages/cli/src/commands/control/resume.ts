import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import { actOnRun } from '../../follow/act-on-run.ts';
import type { BudgetFlags } from '../../options/budget-options.ts';
import { addBudgetOptions, budgetOf } from '../../options/budget-options.ts';
import type { Cli } from '../../process/cli.ts';

interface ResumeFlags extends BudgetFlags {
  readonly input?: string;
  readonly to?: string;
  readonly json?: boolean;
}

/** `millrace resume`: continues a run. */
export function addResume(program: Command, cli: Cli): void {
  const command = program
    .command('resume')
    .description('continue a run that is paused, stopped or failed, or give a completed run a further task')
    .addHelpText('after', '\nExample:\n  millrace resume run_0199a1b2 --input "Add a title."')
    .argument('<run>', 'id of the run, or the beginning of it');
  addBudgetOptions(command)
    .option(
      '--input <text>',
      'message to the nodes that continue, or the further task: a text, @FILE, or - for standard input',
    )
    .option(
      '--to <node>',
      'node that continues with the input, such as after a handoff to a person or program outside of the graph',
    )
    .option('--json', 'print {runId, status}')
    .action(async (run: string, { input, to, json, ...budgetFlags }: ResumeFlags) => {
      const { readTextArgument } = await import('../../workflow/text-argument.ts');
      const budget = budgetOf(budgetFlags);
      const how = {
        ...(input === undefined ? {} : { input: await readTextArgument(input) }),
        ...omitUndefined({ budget, to }),
      };
      await actOnRun(cli, { run, json: json === true, perform: (one) => one.resume(how) });
    });
}
