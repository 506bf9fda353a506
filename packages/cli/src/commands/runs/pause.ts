import type { Command } from 'commander';
import { actOnRun } from '../../follow/act-on-run.ts';
import type { Cli } from '../../process/cli.ts';

/** `millrace pause`: lets nothing new start in a run. */
export function addPause(program: Command, cli: Cli): void {
  program
    .command('pause')
    .description('let nothing new start in a run; what is at work may finish')
    .argument('<run>', 'its id')
    .option('--json', 'print {runId, status}')
    .action(async (run: string, { json }: { json?: boolean }) =>
      actOnRun(cli, { run, json: json === true, carryOut: (one) => one.pause() }),
    );
}
