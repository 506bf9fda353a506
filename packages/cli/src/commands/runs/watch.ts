import type { Command } from 'commander';
import { reportMissingWorkers, withSession } from '../../client/session.ts';
import { exitCodes } from '../../exit/exit.ts';
import type { Cli } from '../../process/cli.ts';
import { interruption } from '../../process/interruption.ts';
import { describe, resolveRun } from '../../requests/resolve-run.ts';

/** `millrace watch`: prints the progress of a run from its beginning to its end. */
export function addWatch(program: Command, cli: Cli): void {
  program
    .command('watch')
    .description('follow a run to its end, then print its output')
    .addHelpText('after', '\nExample:\n  millrace watch run_0199a1b2')
    .argument('<run>', 'id of the run, or the beginning of it')
    .option('--json', 'print the journal as JSON lines, then {"result": …}')
    .option('--strict', 'exit with 1 if the run has warnings')
    .action(async (run: string, { json, strict }: { json?: boolean; strict?: boolean }) =>
      watch(cli, run, { json: json === true, strict: strict === true }),
    );
}

async function watch(
  cli: Cli,
  named: string,
  { json, strict }: { readonly json: boolean; readonly strict: boolean },
): Promise<void> {
  const { follow } = await import('../../follow/follow.ts');
  const { exitOf, resultJson, unfinishedIn, warningsIn } = await import('../../output/run-result.ts');
  const { signal, dispose } = await interruption(cli, exitCodes.interrupted);
  await withSession(cli, { throughOutages: true }, async (session) => {
    const run = await resolveRun(session, named);
    const { finishedAt } = await describe(session, run);
    if (finishedAt === undefined) await reportMissingWorkers(session);
    await follow(session, run, {
      signal,
      ...(json ? { onEntry: (entry) => cli.terminal.data(JSON.stringify(entry)) } : {}),
    });
    const description = await describe(session, run);
    const { output } = description;
    if (json) cli.terminal.data(JSON.stringify({ result: resultJson(description) }));
    else if (output !== null) cli.terminal.content(`${output}\n`);
    for (const line of [...unfinishedIn(description), ...warningsIn(description)]) cli.terminal.say(line);
    const ended = description.finishedAt !== undefined;
    cli.exit = signal.aborted && !ended ? exitCodes.interrupted : exitOf(description, strict);
    if (!ended) cli.terminal.say(`The run continues. Follow it with: millrace watch ${run}`);
  });
  dispose();
}
