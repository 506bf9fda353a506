import type { Command } from 'commander';
import { actOnRun } from '../../follow/act-on-run.ts';
import type { Cli } from '../../process/cli.ts';

/** `millrace retry`: continues a failed run. */
export function addRetry(program: Command, cli: Cli): void {
  program
    .command('retry')
    .description('continue a failed run from its failures; finished work is kept')
    .addHelpText('after', '\nExample:\n  millrace retry run_0199a1b2')
    .argument('<run>', 'id of the run, or the beginning of it')
    .option('--json', 'print {runId, status}')
    .action(async (run: string, { json }: { json?: boolean }) =>
      actOnRun(cli, { run, json: json === true, perform: (one) => one.retry() }),
    );
}
