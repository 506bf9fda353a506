import type { Command } from 'commander';
import { CommandError, exitCodes } from '../../exit/exit.ts';
import { actOnRun } from '../../follow/act-on-run.ts';
import type { Cli } from '../../process/cli.ts';
import { readTextArgument } from '../../workflow/text-argument.ts';

interface SignalOptions {
  readonly note?: string;
  readonly data?: string;
  readonly id?: string;
  readonly json?: boolean;
}

/** `millrace signal`: sends a signal to the nodes and terminations of a run that wait for it. */
export function addSignal(program: Command, cli: Cli): void {
  program
    .command('signal')
    .description('send a run a signal that one of its nodes or terminations waits for')
    .addHelpText('after', '\nExample:\n  millrace signal run_0199a1b2 paid --data \'{"order": 17}\' --id payment-1')
    .argument('<run>', 'id of the run, or the beginning of it')
    .argument('[name]', 'name of the signal', 'external')
    .option('--data <json>', 'data of the event, for a node that waits for it: JSON, @FILE, or - for standard input')
    .option('--id <id>', 'id of the event; the run accepts each id of a name once')
    .option('--note <text>', 'reason, which is kept in the journal')
    .option('--json', 'print {runId, status}')
    .action(async (run: string, name: string, { note, data, id, json }: SignalOptions) => {
      const given = data === undefined ? {} : { data: parseJson(await readTextArgument(data)) };
      await actOnRun(cli, {
        run,
        json: json === true,
        perform: (one) => one.signal(name, { note, eventId: id, ...given }),
      });
    });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandError(
      exitCodes.invalid,
      `--data is not JSON: ${error instanceof Error ? error.message : String(error)} Write a text in double quotes, as in --data '"yes"'.`,
      { cause: error },
    );
  }
}
