import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import { Option } from 'commander';
import { actOnRun } from '../../follow/act-on-run.ts';
import type { Cli } from '../../process/cli.ts';

interface StopFlags {
  readonly mode: 'graceful' | 'cancel';
  readonly note: string;
  readonly scope?: string;
  readonly json?: boolean;
}

/** `millrace stop`: stops a run so that it can be resumed. */
export function addStop(program: Command, cli: Cli): void {
  program
    .command('stop')
    .description('stop a run so that `millrace resume` can continue it')
    .addHelpText('after', '\nExample:\n  millrace stop run_0199a1b2 --mode cancel')
    .argument('<run>', 'id of the run, or the beginning of it')
    .addOption(
      new Option(
        '--mode <mode>',
        'graceful: executing activations may finish; cancel: they are aborted and repeated later',
      )
        .choices(['graceful', 'cancel'])
        .default('graceful'),
    )
    .option('--note <text>', 'reason, which is kept in the journal', 'stopped on the command line')
    .option('--scope <name>', 'stop only this named scope; the run continues after it')
    .option('--json', 'print {runId, status}')
    .action(async (run: string, { mode, note, scope, json }: StopFlags) =>
      actOnRun(cli, {
        run,
        json: json === true,
        perform: (one) => one.stop(omitUndefined({ mode, note, scope })),
      }),
    );
}
