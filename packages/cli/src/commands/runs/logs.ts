import type { JournalEvent, RunEvent, RunHandle } from '@millrace/client';
import type { Command } from 'commander';
import type { Cli } from '../../process/cli.ts';

interface LogsFlags {
  readonly follow?: boolean;
  readonly json?: boolean;
}

/** `millrace logs`: states the events of a run in sentences. */
export function addLogs(program: Command, cli: Cli): void {
  program
    .command('logs')
    .description('print the events of a run as sentences with the names of nodes')
    .argument('<run>', 'its id, or the beginning of it')
    .option('-f, --follow', 'print further events as they happen, until the run ends')
    .option('--json', 'print JSON lines of {id, at, type, nodeId, nodeType, graph, unit, turn, text}')
    .addHelpText('after', '\nExample:\n  millrace logs run_0199a1b2 --follow')
    .action(async (run: string, flags: LogsFlags) => printLogs(cli, run, flags));
}

async function printLogs(cli: Cli, named: string, { follow, json }: LogsFlags): Promise<void> {
  const { withSession } = await import('../../client/session.ts');
  const { sentenceOf } = await import('../../follow/sentences.ts');
  const { exitCodes } = await import('../../exit/exit.ts');
  const { interruption } = await import('../../process/interruption.ts');
  const { resolveRun } = await import('../../requests/resolve-run.ts');
  const { signal, dispose } = await interruption(cli, exitCodes.interrupted);
  await withSession(cli, { throughOutages: follow === true }, async (session) => {
    const run = session.millrace.runs.get(await resolveRun(session, named));
    const print = (event: RunEvent) => {
      const text = sentenceOf(event.event);
      if (text === undefined) return;
      const { id, at } = event;
      const line = json
        ? JSON.stringify({ id, at, type: event.event.type, ...namesIn(event.event), text })
        : `${new Date(at).toISOString()} ${text}`;
      cli.terminal.data(line);
    };
    for await (const event of eventsOf(run, follow === true, signal)) print(event);
    if (signal.aborted) cli.exit = exitCodes.interrupted;
  });
  dispose();
}

/** Names of the node of an event. */
const namesIn = (event: JournalEvent) =>
  Object.fromEntries(Object.entries(event).filter(([field]) => /^(nodeId|nodeType|graph|unit|turn)$/.test(field)));

/** Yields the events so far, or all events until the run ends or the signal is aborted. */
async function* eventsOf(run: RunHandle, follow: boolean, signal: AbortSignal): AsyncGenerator<RunEvent> {
  try {
    for await (const event of follow ? run.events({ signal }) : run.journal()) {
      if (signal.aborted) return;
      yield event;
    }
  } catch (error) {
    if (signal.aborted) return;
    const { rethrowUnknownRun } = await import('../../follow/known-run.ts');
    rethrowUnknownRun(run.id)(error);
  }
}
