import { omitUndefined } from '@millrace/core/omit-undefined';
import type { MetricsAddress } from '@millrace/runtime';
import type { EmbeddedWorker } from '../client/embed-worker.ts';
import { embedWorker } from '../client/embed-worker.ts';
import type { LocalSession } from '../client/session.ts';
import { withMachine } from '../client/session.ts';
import { exitCodes } from '../exit/exit.ts';
import type { Cli } from '../process/cli.ts';
import { aborted, interruption } from '../process/interruption.ts';
import type { ApiAddress } from './embed-api.ts';
import { embedIntake } from './embed-api.ts';

/** Options of a process that works on runs. */
export interface ServeOptions {
  readonly concurrency?: number;
  readonly logLevel: string;
  /** The queues that are served; absent: as the environment says, or the default queue. */
  readonly queues?: EmbeddedWorker['queues'];
  /** The command, for whom it says what it cannot do. */
  readonly command: 'up' | 'worker';
  /** Serves the HTTP API as well. */
  readonly api?: ApiAddress;
  /** Serves metrics on a port of their own. */
  readonly metrics?: MetricsAddress;
}

async function count(session: LocalSession, address: MetricsAddress): Promise<void> {
  const { embedMetrics } = await import('./embed-api.ts');
  await embedMetrics(session, { address, scope: 'process' });
}

/** Works on runs until Ctrl-C or a polite kill. */
export async function serve(cli: Cli, { api, command, metrics, ...options }: ServeOptions): Promise<void> {
  const { signal, dispose } = await interruption(cli, exitCodes.completed);
  await withMachine(cli, { command, throughOutages: true, stopping: signal }, async (session) => {
    const started = start(session, { ...options, api, metrics });
    await Promise.race([started, aborted(signal)]);
    if (!signal.aborted) {
      if (command === 'up' && session.ownRedis !== undefined) {
        cli.terminal.say(`Redis for other programs: ${session.ownRedis} (millrace redis-url prints it)`);
      }
      cli.terminal.say(await programsReach(cli));
      cli.terminal.say('Working on runs. Start one in another terminal: millrace run FILE. Ctrl-C stops.');
      await aborted(signal);
    }
    cli.terminal.say('Stopping.');
  });
  dispose();
}

/** Parts that are started in this process. */
type Parts = Omit<ServeOptions, 'command' | 'api' | 'metrics'> & {
  readonly api: ApiAddress | undefined;
  readonly metrics: MetricsAddress | undefined;
};

async function start(session: LocalSession, { api, metrics, ...options }: Parts): Promise<void> {
  await session.machine.runtime.shared?.storage.check();
  await embedWorker(session, options);
  await embedIntake(session, options.logLevel);
  if (metrics !== undefined && api === undefined) await count(session, metrics);
  if (api === undefined) return;
  const { embedApi } = await import('./embed-api.ts');
  await embedApi(session, { ...api, ...omitUndefined({ metrics }) });
}

/** The line about what programs of nodes may reach here, as a sentence. */
async function programsReach(cli: Cli): Promise<string> {
  const { describeSandbox } = await import('@millrace/worker');
  const line = await describeSandbox((await cli.config()).sandbox);
  return `${line.charAt(0).toUpperCase()}${line.slice(1)}.`;
}
