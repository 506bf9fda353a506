import type { Command } from 'commander';
import type { Cli } from '../../process/cli.ts';
import { activationArgument } from '../../requests/activation-argument.ts';

interface ReplayFlags {
  readonly liveFrom?: string;
  readonly file?: string;
  readonly detach?: boolean;
  readonly json?: boolean;
}

/** `millrace replay`: runs a run again, answered from its journal. */
export function addReplay(program: Command, cli: Cli): void {
  program
    .command('replay')
    .description('run a finished run again: models, tools and people are answered from its journal')
    .argument('[run]', 'its id')
    .option('--file <path>', 'replay a run that was archived when it was removed')
    .option('--live-from <activation>', 'do this activation, and what became ready after it, anew', activationArgument)
    .option('--detach', 'do not wait for the end')
    .option('--json', 'print {runId, status, output, outputs, data, dataByNode, usage, error}')
    .action(async (run: string | undefined, { liveFrom, file, ...options }: ReplayFlags) => {
      const { replayRun, runSource, sourceName } = await import('../../requests/run-source.ts');
      const source = runSource(run, file);
      const { followToEnd } = await import('../../follow/follow-to-end.ts');
      const { withSession } = await import('../../client/session.ts');
      await withSession(cli, { throughOutages: true }, async (session) => {
        const replay = await replayRun(session, source, liveFrom === undefined ? {} : { liveFrom });
        cli.terminal.say(`▶ ${replay} replays ${sourceName(source)}`, 'bold');
        await followToEnd(session, replay, options);
      });
    });
}
