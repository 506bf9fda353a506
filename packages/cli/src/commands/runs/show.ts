import type { Command } from 'commander';
import type { Cli } from '../../process/cli.ts';

/** `millrace show`: describes a run on one page. */
export function addShow(program: Command, cli: Cli): void {
  program
    .command('show')
    .description(
      'describe a run on one page: its status, the nodes that are executing, cost, last errors and open questions',
    )
    .argument('<run>', 'id of the run, or the beginning of it')
    .option('--json', 'print {runId, workflow, status, startedAt, nodes, errors, tasks, usage, …}')
    .addHelpText('after', '\nExample:\n  millrace show run_0199a1b2')
    .action(async (run: string, { json }: { json?: boolean }) => show(cli, run, json === true));
}

async function show(cli: Cli, named: string, json: boolean): Promise<void> {
  const { withSession } = await import('../../client/session.ts');
  const { readRunOverview } = await import('../../requests/read-run-overview.ts');
  const { resolveRun } = await import('../../requests/resolve-run.ts');
  const { describe } = await import('../../follow/known-run.ts');
  await withSession(cli, {}, async (session) => {
    const run = await resolveRun(session, named);
    const overview = await readRunOverview(session.millrace, await describe(session, run));
    const { overviewJson, overviewText } = await import('../../output/run-overview.ts');
    const now = Date.now();
    if (json) cli.terminal.data(JSON.stringify(overviewJson(overview), null, 2));
    else cli.terminal.data(overviewText(overview, { now, width: cli.terminal.columns }));
  });
}
