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
    .description('stop a run where it stands; `millrace resume` goes on with it')
    .argument('<run>', 'its id')
    .addOption(
      new Option(
        '--mode <mode>',
        'graceful: what is at work may finish; cancel: it is told to stop and is done anew later',
      )
        .choices(['graceful', 'cancel'])
        .default('graceful'),
    )
    .option('--note <text>', 'why; kept in the journal', 'stopped on the command line')
    .option('--scope <name>', 'stop only this named scope; the run goes on after it')
    .option('--json', 'print {runId, status}')
    .action(async (run: string, { mode, note, scope, json }: StopFlags) =>
      actOnRun(cli, {
        run,
        json: json === true,
        carryOut: (one) => one.stop({ mode, note, ...(scope === undefined ? {} : { scope }) }),
      }),
    );
}
