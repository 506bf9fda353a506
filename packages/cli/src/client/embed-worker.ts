import { hostname } from 'node:os';
import { join } from 'node:path';
import { omitUndefined } from '@millrace/core/omit-undefined';
import type { ConsumeOptions } from '@millrace/runtime';
import { openForegroundLog, openLog } from '../output/log.ts';
import { loadPrices, loadRateLimits } from '../workflow/load-models.ts';
import type { LocalSession, Session } from './session.ts';

/** Time that the end of a worker may take before people are told why, in milliseconds. */
const explainAfterMs = 500;

/** Options of a worker in this process. */
export interface EmbeddedWorker {
  readonly concurrency?: number;
  readonly logLevel: string;
  /** A person follows a run in this command, so its log is written for people. */
  readonly foreground?: boolean;
  /** The queues that it serves; absent: as the environment says, or the default queue. */
  readonly queues?: ConsumeOptions['queues'];
  /** It is there to work on whatever runs there are, those of earlier versions included. */
  readonly takesOver?: boolean;
}

/** Starts a worker in this process, and a caretaker with it. */
export async function embedWorker(session: LocalSession, options: EmbeddedWorker): Promise<void> {
  const config = await session.cli.config();
  const { startWorker } = await import('@millrace/worker');
  const queues = options.queues ?? config.queues;
  const caretaker = session.machine.runtime.startCaretaker({ takesOver: options.takesOver ?? false });
  session.defer(() => caretaker.close());
  const worker = startWorker({
    ...session.machine,
    concurrency: options.concurrency ?? config.concurrency,
    ...omitUndefined({ queues }),
    name: `${hostname()}-${process.pid}`,
    workspaces: join(config.directory, 'workspaces'),
    sandbox: config.sandbox,
    ...omitUndefined({ outbound: config.outbound }),
    ...(config.prices === undefined ? {} : { prices: await loadPrices(config.prices) }),
    ...(config.rateLimits === undefined ? {} : { rateLimits: await loadRateLimits(config.rateLimits) }),
    log: options.foreground
      ? await openForegroundLog(config, { level: options.logLevel, terminal: session.cli.terminal })
      : await openLog(config, options.logLevel),
  });
  session.awaits(() => worker.pending());
  session.defer(() => finish(session, worker));
}

/** The work in hand may be another run's, and long: nobody should wonder why the command does not end. */
async function finish({ cli }: Session, worker: { close(): Promise<void> }): Promise<void> {
  const explain = setTimeout(() => {
    cli.terminal.say(
      'What is at work in this process is finished first. Ctrl-C stops at once: other workers take over.',
    );
  }, explainAfterMs);
  await worker.close();
  clearTimeout(explain);
}
