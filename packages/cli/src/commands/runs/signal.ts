import type { Command } from 'commander';
import { actOnRun } from '../../follow/act-on-run.ts';
import type { Cli } from '../../process/cli.ts';

/** `millrace signal`: tells the terminations of a run that wait for it. */
export function addSignal(program: Command, cli: Cli): void {
  program
    .command('signal')
    .description('send a run a signal that one of its terminations waits for')
    .argument('<run>', 'its id')
    .argument('[name]', 'the name of the signal', 'external')
    .option('--note <text>', 'why; kept in the journal')
    .option('--json', 'print {runId, status}')
    .action(async (run: string, name: string, { note, json }: { note?: string; json?: boolean }) =>
      actOnRun(cli, {
        run,
        json: json === true,
        carryOut: (one) => one.signal(name, note),
      }),
    );
}
