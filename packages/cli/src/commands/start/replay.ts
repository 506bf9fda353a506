import type { Command } from 'commander';
import { withSession } from '../../client/session.ts';
import { activationArgument } from '../../options/arguments.ts';
import type { Cli } from '../../process/cli.ts';

interface ReplayFlags {
  readonly liveFrom?: string;
  readonly file?: string;
  readonly detach?: boolean;
  readonly json?: boolean;
}

/** `millrace replay`: repeats a run with the steps of its journal. */
export function addReplay(program: Command, cli: Cli): void {
  program
    .command('replay')
    .description('repeat a finished run with the results of models, tools and people in its journal')
    .addHelpText('after', '\nExample:\n  millrace replay run_0199a1b2 --live-from a7')
    .argument('[run]', 'id of the run, or the beginning of it')
    .option('--file <path>', 'replay a run that was archived before its removal')
    .option(
      '--live-from <activation>',
      'execute this activation, and those that became ready after it, again',
      activationArgument,
    )
    .option('--detach', 'do not wait for the end')
    .option('--json', 'print {runId, status, output, outputs, data, dataByNode, usage, error}')
    .action(async (run: string | undefined, { liveFrom, file, ...options }: ReplayFlags) => {
      const { replayRun, runSource, sourceName } = await import('../../requests/run-source.ts');
      const source = runSource(run, file);
      const { followToEnd } = await import('../../follow/follow-to-end.ts');
      await withSession(cli, { throughOutages: true }, async (session) => {
        const replay = await replayRun(session, source, liveFrom === undefined ? {} : { liveFrom });
        cli.terminal.say(`▶ ${replay} replays ${sourceName(source)}`, 'bold');
        await followToEnd(session, replay, options);
      });
    });
}
