import type { Command } from 'commander';
import type { Cli } from '../../process/cli.ts';

/** `millrace rm`: removes a run. */
export function addRm(program: Command, cli: Cli): void {
  program
    .command('rm')
    .description('remove a run that has ended, with all of its data')
    .addHelpText('after', '\nExample:\n  millrace rm run_0199a1b2')
    .argument('<run>', 'id of the run, or the beginning of it')
    .option('--json', 'print {runId}')
    .action(async (run: string, { json }: { json?: boolean }) => removeRun(cli, run, json === true));
}

async function removeRun(cli: Cli, named: string, json: boolean): Promise<void> {
  const { resolveRun } = await import('../../requests/resolve-run.ts');
  const { withSession } = await import('../../client/session.ts');
  await withSession(cli, {}, async (session) => {
    const run = await resolveRun(session, named);
    await session.millrace.runs.get(run).remove();
    if (json) cli.terminal.data(JSON.stringify({ runId: run }));
    else cli.terminal.say(`${run} is removed.`);
  });
}
