import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Run } from '@millrace/client';
import { RequestError } from '@millrace/core';
import { makeDirectorySync } from '@millrace/runtime/make-directory';
import type { LocalSession } from '../client/session.ts';
import { withMachine } from '../client/session.ts';
import { parseConfig } from '../config/parse-config.ts';
import { exitCodes, refusalIn } from '../exit/exit.ts';
import { follow } from '../follow/follow.ts';
import { exitOf, resultJson } from '../output/run-result.ts';
import { wrappedOn } from '../output/terminal/wrapped.ts';
import type { Cli } from '../process/cli.ts';
import { interruption } from '../process/interruption.ts';
import { describe } from '../requests/resolve-run.ts';
import type { DemoWorker } from './demo-worker.ts';
import { startDemoWorker } from './demo-worker.ts';
import type { DemoOptions, Newsroom } from './newsroom.ts';
import { prompterOf, startDemoRun } from './newsroom.ts';
import type { Crash } from './worker-crash.ts';
import { crashDuringCall } from './worker-crash.ts';

/** The run of a demo, and the directory of its installation. */
export interface KeptRun {
  readonly run: string;
  readonly directory: string;
}

/**
 * Runs a workflow on its own Redis, kills the worker process during a model call, starts another one, and reports from
 * the journal that the run continued without repeating a completed call. Ends all its processes. Returns the location of
 * the run; undefined if it has not completed.
 */
export async function runDemo(cli: Cli, options: DemoOptions): Promise<KeptRun | undefined> {
  const { environment } = await cli.config();
  const directory = options.keep === undefined ? mkdtempSync(join(tmpdir(), 'millrace-demo-')) : resolve(options.keep);
  makeDirectorySync(directory, 0o700);
  // The demo ignores all settings of the environment, so it is the same everywhere.
  const own: Cli = { ...cli, config: async () => parseConfig({ MILLRACE_DIR: directory }) };
  const interrupted = await interruption(cli, exitCodes.interrupted);
  cli.exit = exitCodes.interrupted;
  let kept: KeptRun | undefined;
  try {
    await withMachine(own, { command: 'demo', throughOutages: true, stopping: interrupted.signal }, async (session) => {
      const startWorker = (): DemoWorker => {
        const worker = startDemoWorker({ directory, environment });
        session.defer(() => worker.kill());
        return worker;
      };
      const run = await runWithCrash(session, { ...options, startWorker, interrupted });
      if (run !== undefined) cli.exit = exitOf(run);
      if (run?.status === 'completed') kept = { run: run.runId, directory };
    });
    return kept;
  } catch (error) {
    throw refusalIn(error)?.code === 'REDIS_MISSING' ? withoutRedis(error) : error;
  } finally {
    if (options.keep === undefined && kept === undefined)
      rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
    interrupted.dispose();
  }
}

/** Adds the remedy for the demo to the general one. */
const withoutRedis = (error: unknown): RequestError =>
  new RequestError(
    'REDIS_MISSING',
    `${error instanceof Error ? error.message : ''}\nThe demo starts a Redis of its own, and leaves that of REDIS_URL alone.`,
  );

/** Dependencies of a run with a crash. */
interface DemoContext extends Newsroom {
  startWorker(): DemoWorker;
}

/** Returns the run that has ended; undefined if the person interrupted it. */
async function runWithCrash(session: LocalSession, context: DemoContext): Promise<Run | undefined> {
  const { terminal } = session.cli;
  const { signal } = context.interrupted;
  const first = context.startWorker();
  const [run] = await Promise.all([startDemoRun(session, context), first.ready]);
  terminal.say(`worker 1 is process ${first.pid}`, 'dim');
  terminal.say(`▶ ${run} newsroom`, 'bold');
  const replaced = replacement(session, context, first);
  const crash = crashDuringCall({ worker: first, onKilled: replaced.start });
  const prompter = prompterOf(session, context);
  await Promise.race([follow(session, run, { signal, prompter, onEntry: crash.watch }), replaced.failed]);
  if (signal.aborted) return undefined;
  const ended = await describe(session, run);
  const calls = crash.calls();
  if (context.json) {
    const killed = { pid: first.pid, activation: crash.crash()?.activation ?? null };
    terminal.data(JSON.stringify({ ...(resultJson(ended) as object), killed, modelCalls: calls }, null, 2));
  } else {
    terminal.content(`\n${wrappedOn(terminal, ended.output ?? '')}\n`);
    for (const line of costLines(calls, crash.crash())) terminal.say(line);
  }
  return ended;
}

/** Starts the second worker after the crash of the first; `failed` rejects if it does not start. */
function replacement({ cli: { terminal } }: LocalSession, context: DemoContext, first: DemoWorker) {
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined);
  return {
    failed,
    start(crash: Crash): void {
      if (context.interrupted.signal.aborted) return;
      const call = crash.before.completed + 1;
      terminal.say(`✖ kill -9 ${first.pid}: worker 1 is dead, in the middle of model call ${call}`, 'red');
      const second = context.startWorker();
      second.ready.then(
        () =>
          terminal.say(
            `worker 2 is process ${second.pid}; it takes over within 5 s, when the lock of worker 1 expires`,
            'dim',
          ),
        fail,
      );
    },
  };
}

/** Returns the sentence about the paid calls and the calls that were not repeated. */
function costLines(
  { completed, tokens, repeated, interrupted }: ReturnType<ReturnType<typeof crashDuringCall>['calls']>,
  crash: Crash | undefined,
): readonly string[] {
  const total = `${completed} model calls (${tokens} tokens), ${repeated === 0 ? 'none' : repeated} repeated.`;
  if (crash === undefined) return ['', total];
  const { before } = crash;
  const kept = `The ${before.completed} calls before the crash (${before.tokens} tokens) were not paid twice`;
  const rest =
    interrupted === 0 ? 'the worker was killed between two calls' : 'only the interrupted one was made again';
  return ['', total, `${kept}; ${rest}.`];
}
