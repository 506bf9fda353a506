import type { Command } from 'commander';
import type { Cli } from '../cli.ts';

/** `millrace cancel`: ends a run. */
export function addCancel(program: Command, cli: Cli): void {
  program
    .command('cancel')
    .description('end a run; what is at work is told to stop')
    .argument('<run>', 'its id')
    .option('--reason <text>', 'kept in the journal', 'cancelled on the command line')
    .option('--json', 'print {runId, status}')
    .action(async (run: string, options: { reason: string; json?: boolean }) => cancel(cli, run, options));
}

async function cancel(cli: Cli, run: string, { reason, json }: { reason: string; json?: boolean }): Promise<void> {
  const { describe } = await import('../follow.ts');
  const { withSession } = await import('../session.ts');
  await withSession(cli, {}, async (session) => {
    await describe(session, run);
    await session.runtime.runs.cancel(run, reason);
    const { status } = await describe(session, run);
    if (json) cli.terminal.data(JSON.stringify({ runId: run, status }));
    else cli.terminal.say(`${run} is ${status}.`);
  });
}
