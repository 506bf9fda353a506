import type { Command } from 'commander';
import { actOnRun } from '../../follow/act-on-run.ts';
import type { Cli } from '../../process/cli.ts';

/** `millrace pause`: pauses a run. */
export function addPause(program: Command, cli: Cli): void {
  program
    .command('pause')
    .description('pause a run; executing activations may finish')
    .addHelpText('after', '\nExample:\n  millrace pause run_0199a1b2')
    .argument('<run>', 'id of the run, or the beginning of it')
    .option('--json', 'print {runId, status}')
    .action(async (run: string, { json }: { json?: boolean }) =>
      actOnRun(cli, { run, json: json === true, perform: (one) => one.pause() }),
    );
}
