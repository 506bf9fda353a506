import type { Command } from 'commander';
import { actOnRun } from '../../follow/act-on-run.ts';
import type { Cli } from '../../process/cli.ts';

/** `millrace signal`: tells the terminations of a run that wait for it. */
export function addSignal(program: Command, cli: Cli): void {
  program
    .command('signal')
    .description('send a run a signal that one of its terminations waits for')
    .addHelpText('after', '\nExample:\n  millrace signal run_0199a1b2 enough')
    .argument('<run>', 'id of the run, or the beginning of it')
    .argument('[name]', 'name of the signal', 'external')
    .option('--note <text>', 'reason, which is kept in the journal')
    .option('--json', 'print {runId, status}')
    .action(async (run: string, name: string, { note, json }: { note?: string; json?: boolean }) =>
      actOnRun(cli, {
        run,
        json: json === true,
        carryOut: (one) => one.signal(name, note),
      }),
    );
}
