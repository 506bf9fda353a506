import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { Vocabulary } from '@millrace/core';
import type { BlobLocation, ConsumeOptions, Runtime, Tracing } from '@millrace/runtime';
import type { Config } from '../config/config.ts';
import { CommandError, exitCodes } from '../exit/exit.ts';
import { openForegroundLog, openLog } from '../output/log.ts';
import type { Cli } from '../process/cli.ts';
import type { Closer } from '../process/close-session.ts';
import { closeSession } from '../process/close-session.ts';
import { loadPrices, loadRateLimits } from '../workflow/load-models.ts';
import { openVocabulary } from '../workflow/open-vocabulary.ts';
import type { CliClient } from './cli-client.ts';
import { embedTracing } from './embed-tracing.ts';

/** A command's connection to the runs: what it opened, to be closed when the command ends. */
export interface Session {
  readonly cli: Cli;
  readonly installation: CliClient;
  /** What of it this process holds itself; absent when it is behind an HTTP API. */
  readonly machine?: Machine;
  /** `memory`: nothing survives the process. */
  readonly storage: 'memory' | 'redis' | 'api';
  /** Absent: nobody traces. */
  readonly tracing: Tracing | undefined;
  /** Redis (or memory) ends with this process; what Redis holds stays on disk. */
  endsWithUs(): boolean;
  /** Closes this when the session closes, before what was opened earlier. */
  defer(close: Closer): void;
  /** Counts what is still to arrive when the session closes. */
  awaits(pending: () => number): void;
}

/** What works on runs, and keeps them. */
export interface Machine {
  readonly runtime: Runtime;
  readonly vocabulary: Vocabulary;
}

/** A session on the machine itself. */
export interface LocalSession extends Session {
  readonly machine: Machine;
}

/** Whether this process can work on the runs itself. */
export const isLocal = (session: Session): session is LocalSession => session.machine !== undefined;

/** Opens the runs of this machine, for commands that work on them or look after them. Nothing else will do. */
export async function withMachine<T>(
  cli: Cli,
  { command, ...options }: Omit<SessionOptions, 'local'> & { readonly command: string },
  use: (session: LocalSession) => Promise<T>,
): Promise<T> {
  await assertLocal(cli, command);
  return withSession(cli, options, (session) => {
    if (!isLocal(session)) throw new Error('a session without MILLRACE_URL is near');
    return use(session);
  });
}

/** Ends a command that works with an installation itself when the environment names one behind an HTTP API. */
export async function assertLocal(cli: Cli, command: string): Promise<void> {
  const { api } = await cli.config();
  if (api !== undefined) {
    throw new CommandError(
      exitCodes.invalid,
      `\`millrace ${command}\` works with the Redis of an installation itself, and MILLRACE_URL names one behind an HTTP API (${api.url}). Call it where that runs, or unset MILLRACE_URL.`,
    );
  }
}

/** How a session is opened. */
export interface SessionOptions {
  /** Keeps runs in memory. */
  readonly local?: boolean;
  /** Aborted when the command is told to stop: no work is begun from then on. */
  readonly stopping?: AbortSignal;
  /** The command waits for the end of an outage of Redis, as one that works on runs or follows one; others end with it. */
  readonly throughOutages?: boolean;
}

/** Opens the runs (behind the API of MILLRACE_URL, else in Redis, or in memory with `local`) for as long as `use` takes. */
export async function withSession<T>(
  cli: Cli,
  options: SessionOptions,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const closers: Closer[] = [];
  const pending: (() => number)[] = [];
  let runtime: Runtime | undefined;
  const opening: Opening = {
    defer: (close) => void closers.unshift(close),
    awaits: (count) => void pending.push(count),
  };
  try {
    const session = await openSession(cli, options.local === true, opening);
    runtime = session.machine?.runtime;
    const stop = () => runtime?.activeJobs?.stop();
    if (options.stopping?.aborted === true) stop();
    options.stopping?.addEventListener('abort', stop);
    const outages = options.throughOutages === true ? undefined : runtime?.outages;
    return await (outages?.bounded('writes', () => use(session)) ?? use(session));
  } finally {
    await closeSession(closers, { runtime, pending: () => pending.reduce((sum, count) => sum + count(), 0) });
  }
}

/** What a session notes about its end. */
type Opening = Pick<Session, 'defer' | 'awaits'>;

async function openSession(cli: Cli, local: boolean, opening: Opening): Promise<Session> {
  const { api } = await cli.config();
  return api === undefined || local ? openNear(cli, local, opening) : openFar(cli, api, opening);
}

async function openFar(cli: Cli, api: NonNullable<Config['api']>, opening: Opening): Promise<Session> {
  const [{ connectRemote: farClient }, { remoteClient: farInstallation }] = await Promise.all([
    import('./connect-remote.ts'),
    import('./remote-client.ts'),
  ]);
  const installation = farInstallation(await farClient(cli, api));
  return { cli, installation, storage: 'api', tracing: undefined, endsWithUs: () => false, ...opening };
}

async function openNear(cli: Cli, local: boolean, opening: Opening): Promise<Session> {
  const { defer } = opening;
  const [{ createOutboundPolicy: createReach, openRuntime }, { localClient: nearInstallation }] = await Promise.all([
    import('@millrace/runtime'),
    import('./local-client.ts'),
  ]);
  // What nobody can work with is told before anything is opened.
  createReach((await cli.config()).outbound ?? []);
  const { vocabulary, close } = await openVocabulary(cli);
  defer(close);
  const report = (message: string, error?: unknown) => cli.terminal.say(`! ${message}${causeOf(error)}`);
  if (local) {
    const runtime = await openRuntime({ local: true, limits: (await cli.config()).limits }, vocabulary, report);
    defer(() => runtime.close());
    cli.terminal.say('The run is kept in memory: nothing survives this process.');
    const tracing = await embedTracing(cli, runtime, defer);
    const installation = nearInstallation(runtime, vocabulary);
    const machine = { runtime, vocabulary };
    return { cli, installation, machine, tracing, storage: 'memory', endsWithUs: () => true, ...opening };
  }
  const { prefix, directory, blobs, journalWindow, keep, keepFilesMs, archiveDirectory, limits } = await cli.config();
  const redis = await reachRedis(cli);
  defer(() => redis.release());
  // All that use an embedded Redis share its directory; who shares another Redis may share nothing else.
  const place = blobs ?? (redis.origin === 'url' ? undefined : besides(directory));
  // Braces keep all keys of the installation in one slot of a Redis cluster.
  const where = {
    redisUrl: redis.url,
    limits,
    ...(prefix === undefined ? {} : { prefix: `{${prefix}}` }),
    ...(place === undefined ? {} : { blobs: place }),
    ...(journalWindow === undefined ? {} : { journalWindow }),
    ...(keep === undefined ? {} : { keep }),
    ...(keepFilesMs === undefined ? {} : { keepFilesMs }),
    ...(archiveDirectory === undefined ? {} : { archiveDirectory }),
  };
  const runtime = await openRuntime(where, vocabulary, report);
  defer(() => runtime.close());
  // An embedded Redis has the settings that we gave it.
  const findings = redis.origin === 'url' ? runtime.findings : [];
  for (const finding of findings) cli.terminal.say(`! ${finding}`, 'yellow');
  const tracing = await embedTracing(cli, runtime, defer);
  const installation = nearInstallation(runtime, vocabulary);
  const machine = { runtime, vocabulary };
  return { cli, installation, machine, tracing, storage: 'redis', endsWithUs: () => !redis.usedByOthers(), ...opening };
}

const causeOf = (error: unknown): string =>
  error === undefined ? '' : `: ${error instanceof Error ? error.message : String(error)}`;

const besides = (directory: string): BlobLocation => ({ type: 'directory', path: resolve(directory, 'blobs') });

async function reachRedis(cli: Cli) {
  const { directory, redisUrl } = await cli.config();
  const { provideRedis } = await import('@millrace/runtime');
  const report = (line: string) => cli.terminal.say(line, 'dim');
  return provideRedis({ directory, report, ...(redisUrl === undefined ? {} : { url: redisUrl }) });
}

/** How long the end of a worker may take before people are told why. */
const explainAfterMs = 500;

/** What a worker in this process is told. */
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
    ...(queues === undefined ? {} : { queues }),
    name: `${hostname()}-${process.pid}`,
    workspaces: join(config.directory, 'workspaces'),
    sandbox: config.sandbox,
    ...(config.outbound === undefined ? {} : { outbound: config.outbound }),
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

/** Says how a run goes on when nobody works on it. */
export async function sayWhenIdle({ installation, cli }: Session): Promise<void> {
  if ((await installation.workers()) === 0) {
    cli.terminal.say('No worker is running. `millrace up` (or `millrace worker`) starts one, and the run goes on.');
  }
}
