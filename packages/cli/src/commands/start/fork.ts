import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import type { Cli } from '../../process/cli.ts';
import { activationArgument } from '../../requests/activation-argument.ts';

interface ForkFlags {
  readonly at: string;
  readonly file?: string;
  readonly output?: string;
  readonly detach?: boolean;
  readonly json?: boolean;
}

/** `millrace fork`: starts a run that shares the past of another one. */
export function addFork(program: Command, cli: Cli): void {
  program
    .command('fork')
    .description('start a run that shares the history of another one up to an activation')
    .addHelpText('after', '\nExample:\n  millrace fork run_0199a1b2 --at a7 --output "Another draft."')
    .argument('[run]', 'id of the run, or the beginning of it')
    .option('--file <path>', 'fork a run that was archived before its removal')
    .requiredOption('--at <activation>', 'activation up to which the history is shared', activationArgument)
    .option(
      '--output <text>',
      'output of the activation: a text, @FILE, or - for standard input (default: the activation is executed again)',
    )
    .option('--detach', 'do not wait for the end')
    .option('--json', 'print {runId, status, output, outputs, data, dataByNode, usage, error}')
    .action(async (run: string | undefined, { at, output, file, ...options }: ForkFlags) => {
      const { followToEnd } = await import('../../follow/follow-to-end.ts');
      const { withSession } = await import('../../client/session.ts');
      const { readTextArgument } = await import('../../workflow/text-argument.ts');
      const { forkRun, runSource, sourceName } = await import('../../requests/run-source.ts');
      const source = runSource(run, file);
      const text = output === undefined ? undefined : await readTextArgument(output);
      await withSession(cli, { throughOutages: true }, async (session) => {
        const fork = await forkRun(session, source, omitUndefined({ at, output: text }));
        cli.terminal.say(`▶ ${fork} forks ${sourceName(source)} at ${at}`, 'bold');
        await followToEnd(session, fork, options);
      });
    });
}
