import type { Command } from 'commander';
import { actOnRun } from '../../follow/act-on-run.ts';
import type { Cli } from '../../process/cli.ts';

/** `millrace cancel`: ends a run. */
export function addCancel(program: Command, cli: Cli): void {
  program
    .command('cancel')
    .description('end a run permanently and abort executing activations')
    .addHelpText('after', '\nExample:\n  millrace cancel run_0199a1b2 --reason "wrong input"')
    .argument('<run>', 'id of the run, or the beginning of it')
    .option('--reason <text>', 'reason, which is kept in the journal', 'cancelled on the command line')
    .option('--json', 'print {runId, status}')
    .action(async (run: string, { reason, json }: { reason: string; json?: boolean }) =>
      actOnRun(cli, { run, json: json === true, perform: (one) => one.cancel(reason) }),
    );
}
