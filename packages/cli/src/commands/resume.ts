import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { orderRun } from '../order-run.ts';

/** `millrace resume`: goes on with a run. */
export function addResume(program: Command, cli: Cli): void {
  program
    .command('resume')
    .description('go on with a run that is paused, or was stopped or failed')
    .argument('<run>', 'its id')
    .option('--input <text>', 'told to the nodes that it goes on with: a text, @FILE, or - for standard input')
    .option('--json', 'print {runId, status}')
    .action(async (run: string, { input, json }: { input?: string; json?: boolean }) => {
      const { textMessage } = await import('@millrace/core');
      const { readTextArgument } = await import('../text-argument.ts');
      const task = input === undefined ? [] : [textMessage('user', await readTextArgument(input), 'TASK')];
      await orderRun(cli, { run, json: json === true, carryOut: (runs) => runs.resume(run, task) });
    });
}
