import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embedForegroundWorker } from '../client/embed-worker.ts';
import type { LocalSession } from '../client/session.ts';
import { withMachine } from '../client/session.ts';
import { parseConfig } from '../config/parse-config.ts';
import { exitCodes } from '../exit/exit.ts';
import { follow } from '../follow/follow.ts';
import { defaultPort } from '../options/server-options.ts';
import { openServiceLog } from '../output/log.ts';
import { exitOf, resultJson } from '../output/run-result.ts';
import { wrappedOn } from '../output/terminal/wrapped.ts';
import type { Cli } from '../process/cli.ts';
import { aborted, interruption } from '../process/interruption.ts';
import { describe } from '../requests/resolve-run.ts';
import { hasDashboard } from '../serve/built-pages.ts';
import { embedApi } from '../serve/embed-api.ts';
import type { DemoOptions, Newsroom } from './newsroom.ts';
import { prompterOf, startDemoRun } from './newsroom.ts';

/**
 * Runs the workflow of the demo in the memory of this process, with a worker and the dashboard. At a terminal, it serves the
 * dashboard until Ctrl-C; elsewhere it ends with the run.
 */
export async function runLocalDemo(cli: Cli, options: Omit<DemoOptions, 'keep'>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-demo-'));
  // The demo ignores all settings of the environment, so it is the same everywhere.
  const own: Cli = { ...cli, config: async () => parseConfig({ MILLRACE_DIR: directory }) };
  const interrupted = await interruption(cli, exitCodes.interrupted);
  const { signal } = interrupted;
  cli.exit = exitCodes.interrupted;
  try {
    await withMachine(own, { command: 'demo', local: true, stopping: signal }, async (session) => {
      const url = await embedApi(
        session,
        { port: { from: defaultPort } },
        await openServiceLog(own, { level: 'warn', json: options.json }),
      );
      await embedForegroundWorker(session);
      const run = await runToEnd(session, { ...options, interrupted });
      if (run === undefined) return;
      cli.exit = run.exit;
      if (options.json || !cli.terminal.interactive) return;
      cli.terminal.say('');
      if (hasDashboard()) cli.terminal.say(`This run in a browser: ${url}/ui/runs/${run.id}`);
      cli.terminal.say('It ends with this command. Ctrl-C stops.');
      await aborted(signal);
    });
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
    interrupted.dispose();
  }
}

/** Follows the run to its end, and prints its result; undefined if the person interrupted it. */
async function runToEnd(session: LocalSession, context: Newsroom) {
  const { terminal } = session.cli;
  const { signal } = context.interrupted;
  const id = await startDemoRun(session, context);
  terminal.say(`▶ ${id} newsroom`, 'bold');
  await follow(session, id, { signal, prompter: prompterOf(session, context) });
  if (signal.aborted) return undefined;
  const ended = await describe(session, id);
  if (context.json) terminal.data(JSON.stringify(resultJson(ended), null, 2));
  else terminal.content(`\n${wrappedOn(terminal, ended.output ?? '')}\n`);
  return { id, exit: exitOf(ended) };
}
