import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import type { Cli } from '../../process/cli.ts';
import { activationArgument } from '../../requests/activation-argument.ts';

interface ArtifactsOptions {
  readonly activation?: string;
  readonly get?: string;
  readonly to?: string;
  readonly json?: boolean;
}

/** `millrace artifacts`: lists and saves the files that a run has written. */
export function addArtifacts(program: Command, cli: Cli): void {
  program
    .command('artifacts')
    .description('list or download the files that the nodes of a run have written')
    .addHelpText('after', '\nExample:\n  millrace artifacts run_0199a1b2 --to results/')
    .argument('<run>', 'id of the run, or the beginning of it')
    .option('--activation <id>', 'only files that this activation wrote, such as a3', activationArgument)
    .option('--get <path>', 'print the content of this file')
    .option('--to <directory>', 'write the files into this directory')
    .option('--json', 'print a JSON array')
    .action(async (run: string, { activation, ...options }: ArtifactsOptions) => {
      const { withSession } = await import('../../client/session.ts');
      const { resolveRun } = await import('../../requests/resolve-run.ts');
      const { printArtifacts } = await import('../../resources/artifacts.ts');
      await withSession(cli, {}, async (session) => {
        const id = await resolveRun(session, run);
        await printArtifacts(session, { ...options, run: id, ...omitUndefined({ activation }) });
      });
    });
}
