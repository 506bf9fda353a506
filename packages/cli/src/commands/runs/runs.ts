import type { Command } from 'commander';
import { parseCount } from '../../options/count-argument.ts';
import type { Cli } from '../../process/cli.ts';

interface RunsOptions {
  readonly tenant?: string;
  readonly workflow?: string;
  readonly tag?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** `millrace runs`: the newest runs. */
export function addRuns(program: Command, cli: Cli): void {
  program
    .command('runs')
    .description('list runs, newest first')
    .option('--limit <n>', 'at most this many', parseCount, 20)
    .option('--workflow <name>', 'those of one workflow')
    .option('--tag <tag>', 'those with this tag')
    .option('--tenant <name>', 'those of this tenant (default: those started without one)')
    .option('--json', 'print a JSON array')
    .action(async (options: RunsOptions) => listRuns(cli, options));
}

async function listRuns(cli: Cli, { json, ...query }: RunsOptions): Promise<void> {
  const { withSession } = await import('../../client/session.ts');
  const { runsTable } = await import('../../output/runs-table.ts');
  await withSession(cli, {}, async ({ installation }) => {
    const runs = await installation.list(query);
    if (json)
      cli.terminal.data(
        JSON.stringify(
          runs.map(({ run, ...facts }) => ({ runId: run, ...facts })),
          null,
          2,
        ),
      );
    else if (runs.length === 0) cli.terminal.say('There are no runs yet.');
    else cli.terminal.data(runsTable(runs));
  });
}
