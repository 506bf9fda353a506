import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import type { EmbeddedWorker } from '../../client/embed-worker.ts';
import { embedWorker } from '../../client/embed-worker.ts';
import type { LocalSession } from '../../client/session.ts';
import { withMachine } from '../../client/session.ts';
import { exitCodes } from '../../exit/exit.ts';
import { parsePort, parseQueues } from '../../options/arguments.ts';
import type { ApiFlags, MetricsFlags } from '../../options/server-options.ts';
import {
  addApiOptions,
  addConcurrencyOption,
  addLogOption,
  metricsAddressOf,
  withMetricsOptions,
} from '../../options/server-options.ts';
import type { Cli } from '../../process/cli.ts';
import { aborted, interruption } from '../../process/interruption.ts';
import type { ApiAddress } from '../../serve/embed-api.ts';
import { embedApi, embedIntake, embedMetrics } from '../../serve/embed-api.ts';

interface WorkerFlags extends MetricsFlags {
  readonly concurrency?: number;
  readonly queues?: ReturnType<typeof parseQueues>;
}

/** `millrace worker`: executes runs until it is interrupted. */
export function addWorker(program: Command, cli: Cli): void {
  const command = addConcurrencyOption(withMetricsOptions(program.command('worker')))
    .description('execute runs until Ctrl-C; any number of workers can share them')
    .addHelpText('after', '\nExample:\n  millrace worker --concurrency 32 --queues default,slow')
    .option(
      '--queues <names>',
      'queues that it serves, separated by commas; * for all (default: default)',
      parseQueues,
    );
  addLogOption(command).action(({ concurrency, queues, ...flags }: WorkerFlags) =>
    work(cli, 'worker', {
      logLevel: 'info',
      ...omitUndefined({ concurrency, queues }),
      ...metricsAddressOf(flags),
    }),
  );
}

interface UpFlags extends MetricsFlags, ApiFlags {
  readonly concurrency?: number;
  readonly port?: number;
}

/** `millrace up`: starts Redis, a worker and, with a port, the HTTP API from one process. */
export function addUp(program: Command, cli: Cli): void {
  const command = addConcurrencyOption(withMetricsOptions(program.command('up')))
    .description('start Redis (unless REDIS_URL names one) and a worker, until Ctrl-C')
    .addHelpText('after', '\nExample:\n  millrace up --port 4700')
    .option('--port <n>', 'port of the HTTP API (default: it is not served); 0: any free port', parsePort);
  addLogOption(addApiOptions(command)).action(async ({ concurrency, port, host, ui, ...flags }: UpFlags) =>
    work(cli, 'up', {
      logLevel: 'warn',
      queues: (await cli.config()).queues ?? 'all',
      ...omitUndefined({ concurrency }),
      ...metricsAddressOf(flags),
      ...(port === undefined ? {} : { api: omitUndefined({ port, ui, host }) }),
    }),
  );
}

/** Parts of a process that executes runs. */
interface WorkOptions extends Omit<EmbeddedWorker, 'foreground'>, Pick<ApiAddress, 'metrics'> {
  /** Serves the HTTP API as well. */
  readonly api?: Omit<ApiAddress, 'metrics'>;
}

/** Executes runs until Ctrl-C, SIGTERM or SIGHUP. */
async function work(cli: Cli, command: 'up' | 'worker', options: WorkOptions): Promise<void> {
  const { signal, dispose } = await interruption(cli, exitCodes.completed);
  await withMachine(cli, { command, throughOutages: true, stopping: signal }, async (session) => {
    await Promise.race([start(session, options), aborted(signal)]);
    if (!signal.aborted) {
      if (command === 'up' && session.hasOwnRedis) {
        cli.terminal.say('Redis for other programs: `millrace redis-url` prints its address, with its password.');
      }
      cli.terminal.say(await sandboxSentence(cli));
      cli.terminal.say('Working on runs. Start one in another terminal: millrace run FILE. Ctrl-C stops.');
      await aborted(signal);
    }
    cli.terminal.say('Stopping.');
  });
  dispose();
}

async function start(session: LocalSession, { api, metrics, ...options }: WorkOptions): Promise<void> {
  await session.machine.runtime.shared?.storage.check();
  await embedWorker(session, options);
  await embedIntake(session, options.logLevel);
  if (api !== undefined) await embedApi(session, { ...api, ...omitUndefined({ metrics }) });
  else if (metrics !== undefined) await embedMetrics(session, { address: metrics, scope: 'process' });
}

/** Returns a sentence about what programs of nodes can access on this machine. */
async function sandboxSentence(cli: Cli): Promise<string> {
  const { describeSandbox } = await import('@millrace/worker');
  const line = await describeSandbox((await cli.config()).sandbox);
  return `${line.charAt(0).toUpperCase()}${line.slice(1)}.`;
}
