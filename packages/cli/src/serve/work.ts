import { omitUndefined } from '@millrace/core/omit-undefined';
import type { EmbeddedWorker } from '../client/embed-worker.ts';
import { embedWorker } from '../client/embed-worker.ts';
import type { LocalSession } from '../client/session.ts';
import { withMachine } from '../client/session.ts';
import { CommandError, exitCodes } from '../exit/exit.ts';
import type { ServiceLog } from '../output/log.ts';
import { openServiceLog } from '../output/log.ts';
import type { Cli } from '../process/cli.ts';
import { aborted, interruption } from '../process/interruption.ts';
import type { ApiAddress } from './embed-api.ts';
import { assertAddresses, embedApi, embedIntake, embedMetrics } from './embed-api.ts';
import { workingOnRuns } from './working-on-runs.ts';

/** Parts of a process that executes runs. */
export interface WorkOptions extends Omit<EmbeddedWorker, 'log'>, Pick<ApiAddress, 'metrics'> {
  readonly command: 'up' | 'worker';
  /** Keeps everything in the memory of the process. */
  readonly local?: boolean;
  readonly log: ServiceLog;
  /** Serves the HTTP API as well. */
  readonly api?: Omit<ApiAddress, 'metrics'>;
}

/** Executes runs until Ctrl-C, SIGTERM or SIGHUP. */
export async function work(cli: Cli, { command, local = false, ...options }: WorkOptions): Promise<void> {
  if (local) await assertOnlyHere(options.api);
  await assertAddresses(options.api, options.metrics);
  const { signal, dispose } = await interruption(cli, exitCodes.completed);
  await withMachine(cli, { command, local, throughOutages: true, stopping: signal }, async (session) => {
    const started = start(session, options);
    await Promise.race([started, aborted(signal)]);
    if (!signal.aborted) {
      const url = await started;
      if (command === 'up' && session.hasOwnRedis) {
        cli.terminal.say('Redis for other programs: `millrace redis-url` prints its address, with its password.');
      }
      cli.terminal.say(await sandboxSentence(cli));
      if (local) for (const line of describeLocal(url)) cli.terminal.say(line);
      else cli.terminal.say(`${workingOnRuns}; Ctrl-C stops. Start one in another terminal: millrace run FILE`);
      await aborted(signal);
    }
    cli.terminal.say('Stopping.');
  });
  dispose();
}

/** Throws CommandError for an address that other machines reach: those need keys, which are not kept in memory. */
async function assertOnlyHere(api: WorkOptions['api']): Promise<void> {
  const { isLoopback } = await import('@millrace/runtime');
  if (api?.host === undefined || isLoopback(api.host)) return;
  throw new CommandError(
    exitCodes.invalid,
    'Other machines need API keys, which need a Redis: with --local, leave --host out.',
  );
}

/** Returns what a process in memory can do, what it refuses, and the way to that. */
const describeLocal = (url: string | undefined): readonly string[] => [
  'Everything is in the memory of this process: its runs, workflows and answers end with it.',
  'It refuses what needs a Redis: schedules, batches, bulk actions, webhooks, API keys, limits, and more workers. `millrace up` has them.',
  url === undefined
    ? 'Other commands cannot reach it: it serves no HTTP API (--no-ui).'
    : `${workingOnRuns}. Start one in the dashboard, or in another terminal:\n  MILLRACE_URL=${url} millrace run FILE`,
  'Ctrl-C stops.',
];

/** Starts all parts; returns the URL of the HTTP API, undefined if there is none. */
async function start(
  session: LocalSession,
  { api, metrics, log: logging, ...options }: Omit<WorkOptions, 'command' | 'local'>,
): Promise<string | undefined> {
  await session.machine.runtime.shared?.storage.check();
  const log = await openServiceLog(session.cli, logging);
  await embedWorker(session, { ...options, log });
  await embedIntake(session, log);
  if (api !== undefined) return embedApi(session, { ...api, ...omitUndefined({ metrics }) }, log);
  if (metrics !== undefined) await embedMetrics(session, { address: metrics, scope: 'process' });
  return undefined;
}

/** Returns a sentence about what programs of nodes can access on this machine. */
async function sandboxSentence(cli: Cli): Promise<string> {
  const { describeSandbox } = await import('@millrace/worker');
  const line = await describeSandbox((await cli.config()).sandbox);
  return `${line.charAt(0).toUpperCase()}${line.slice(1)}.`;
}
