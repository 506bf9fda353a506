import { join } from 'node:path';
import { omitUndefined } from '@millrace/core/omit-undefined';
import type { ConsumeOptions } from '@millrace/runtime';
import type { Logger } from 'pino';
import { openForegroundLog } from '../output/log.ts';
import { loadRateLimits, loadToolPolicy, toolPolicyWarnings } from '../workflow/load-tables.ts';
import type { LocalSession, Session } from './session.ts';
import { ownWorkerName } from './worker-name.ts';

/** Time after which the command reports why its worker has not stopped yet, in milliseconds. */
const explainAfterMs = 500;

/** Options of a worker in this process. */
export interface EmbeddedWorker {
  readonly concurrency?: number;
  readonly log: Logger;
  /** Queues that the worker serves; absent: those of the environment, or the default queue. */
  readonly queues?: ConsumeOptions['queues'];
}

/** Starts a worker for a command that follows a run; it serves all queues unless the environment names some. */
export async function embedForegroundWorker(session: LocalSession): Promise<void> {
  const { cli } = session;
  const config = await cli.config();
  const log = await openForegroundLog(config, { level: 'warn', terminal: cli.terminal });
  await embedWorker(session, { log, queues: config.queues ?? 'all' });
}

/** Starts a worker in this process, and a caretaker with it. */
export async function embedWorker(session: LocalSession, options: EmbeddedWorker): Promise<void> {
  const config = await session.cli.config();
  const { startWorker } = await import('@millrace/worker');
  const queues = options.queues ?? config.queues;
  const caretaker = session.machine.runtime.startCaretaker();
  session.defer(() => caretaker.close());
  const worker = startWorker({
    ...session.machine,
    concurrency: options.concurrency ?? config.concurrency,
    ...omitUndefined({ queues }),
    name: ownWorkerName,
    workspaces: join(config.directory, 'workspaces'),
    sandbox: config.sandbox,
    sandboxTmpMb: config.sandboxTmpMb,
    maxDeaths: config.maxDeaths,
    ...omitUndefined({ outbound: config.outbound, memoryFiles: config.memoryFiles }),
    ...(config.rateLimits === undefined ? {} : { rateLimits: await loadRateLimits(config.rateLimits) }),
    ...(config.toolPolicy === undefined
      ? {}
      : { toolPolicy: await readToolPolicy(config.toolPolicy, session, options) }),
    log: options.log,
  });
  session.addPending(() => worker.pending());
  session.defer(() => finish(session, worker));
}

/** Reads the policy of the operator, and logs what is likely wrong with it. */
async function readToolPolicy(file: string, { machine }: LocalSession, { log }: EmbeddedWorker) {
  const rules = await loadToolPolicy(file);
  for (const { code, path, message, hint } of await toolPolicyWarnings(rules, machine.vocabulary))
    log.warn({ code, rule: path.join('.'), file, ...omitUndefined({ hint }) }, message);
  return rules;
}

/** Closes the worker, and reports active work that delays the end of the command: it may belong to another run, and take long. */
async function finish({ cli }: Session, worker: { close(): Promise<void> }): Promise<void> {
  const explain = setTimeout(() => {
    cli.terminal.say('Active work in this process is finished first. Ctrl-C stops at once: other workers take over.');
  }, explainAfterMs);
  await worker.close();
  clearTimeout(explain);
}
