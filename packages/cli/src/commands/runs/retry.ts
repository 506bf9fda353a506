import type { Command } from 'commander';
import { actOnRun } from '../../follow/act-on-run.ts';
import type { Cli } from '../../process/cli.ts';

/** `millrace retry`: goes on with a run that has failed. */
export function addRetry(program: Command, cli: Cli): void {
  program
    .command('retry')
    .description('go on with a run that has failed, from what failed; finished work is kept')
    .argument('<run>', 'its id')
    .option('--json', 'print {runId, status}')
    .action(async (run: string, { json }: { json?: boolean }) =>
      actOnRun(cli, { run, json: json === true, carryOut: (one) => one.retry() }),
    );
}
