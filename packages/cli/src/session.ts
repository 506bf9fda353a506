import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { Vocabulary } from '@millrace/core';
import type { BlobPlace, Consuming, Runtime, Tracing } from '@millrace/runtime';
import type { Cli } from './cli.ts';
import { embedTracing } from './embed-tracing.ts';
import { loadPrices, loadRateLimits } from './load-models.ts';
import { openVocabulary } from './open-vocabulary.ts';

/** A command's connection to the runs: what it opened, to be closed when the command ends. */
export interface Session {
  readonly cli: Cli;
  readonly runtime: Runtime;
  readonly vocabulary: Vocabulary;
  /** `memory`: nothing survives the process. */
  readonly storage: 'memory' | 'redis';
  /** Absent: nobody traces. */
  readonly tracing: Tracing | undefined;
  /** Redis (or memory) ends with this process; what Redis holds stays on disk. */
  endsWithUs(): boolean;
  /** Closes this when the session closes, before what was opened earlier. */
  defer(close: () => Promise<void> | void): void;
}

/** Opens the runs (in Redis, or in memory with `local`) for as long as `use` takes. */
export async function withSession<T>(
  cli: Cli,
  options: { local?: boolean },
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const closers: (() => Promise<void> | void)[] = [];
  const defer = (close: () => Promise<void> | void) => void closers.unshift(close);
  try {
    return await use(await openSession(cli, options.local === true, defer));
  } finally {
    for (const close of closers) await close();
  }
}

async function openSession(cli: Cli, local: boolean, defer: Session['defer']): Promise<Session> {
  const [{ vocabulary, close }, { openRuntime }] = await Promise.all([
    openVocabulary(cli),
    import('@millrace/runtime'),
  ]);
  defer(close);
  const report = (message: string, error: unknown) =>
    cli.terminal.say(`! ${message}: ${error instanceof Error ? error.message : String(error)}`);
  if (local) {
    const runtime = await openRuntime({ local: true }, vocabulary, report);
    defer(() => runtime.close());
    cli.terminal.say('The run is kept in memory: nothing survives this process.');
    const tracing = await embedTracing(cli, runtime, defer);
    return { cli, runtime, vocabulary, tracing, storage: 'memory', endsWithUs: () => true, defer };
  }
  const { prefix, directory, blobs, journalWindow, keep, archiveDirectory } = await cli.config();
  const redis = await reachRedis(cli);
  defer(() => redis.release());
  // All that use an embedded Redis share its directory; who shares another Redis may share nothing else.
  const place = blobs ?? (redis.origin === 'url' ? undefined : besides(directory));
  // Braces keep all keys of the installation in one slot of a Redis cluster.
  const where = {
    redisUrl: redis.url,
    ...(prefix === undefined ? {} : { prefix: `{${prefix}}` }),
    ...(place === undefined ? {} : { blobs: place }),
    ...(journalWindow === undefined ? {} : { journalWindow }),
    ...(keep === undefined ? {} : { keep }),
    ...(archiveDirectory === undefined ? {} : { archiveDirectory }),
  };
  const runtime = await openRuntime(where, vocabulary, report);
  defer(() => runtime.close());
  // An embedded Redis has the settings that we gave it.
  const findings = redis.origin === 'url' ? runtime.findings : [];
  for (const finding of findings) cli.terminal.say(cli.terminal.paint.yellow(`! ${finding}`));
  const tracing = await embedTracing(cli, runtime, defer);
  return { cli, runtime, vocabulary, tracing, storage: 'redis', endsWithUs: () => !redis.usedByOthers(), defer };
}

const besides = (directory: string): BlobPlace => ({ type: 'directory', path: resolve(directory, 'blobs') });

async function reachRedis(cli: Cli) {
  const { directory, redisUrl } = await cli.config();
  const { provideRedis } = await import('@millrace/runtime');
  const report = (line: string) => cli.terminal.say(cli.terminal.paint.dim(line));
  return provideRedis({ directory, report, ...(redisUrl === undefined ? {} : { url: redisUrl }) });
}

/** How long the end of a worker may take before people are told why. */
const explainAfterMs = 500;

/** What a worker in this process is told. */
export interface EmbeddedWorker {
  readonly concurrency?: number;
  readonly logLevel: string;
  /** The queues that it serves; absent: as the environment says, or the default queue. */
  readonly queues?: Consuming['queues'];
}

/** Starts a worker in this process, and a caretaker with it. */
export async function embedWorker(session: Session, options: EmbeddedWorker): Promise<void> {
  const config = await session.cli.config();
  const [{ startWorker }, { pino }] = await Promise.all([import('@millrace/worker'), import('pino')]);
  const queues = options.queues ?? config.queues;
  const caretaker = session.runtime.startCaretaker();
  session.defer(() => caretaker.close());
  const worker = startWorker({
    runtime: session.runtime,
    vocabulary: session.vocabulary,
    concurrency: options.concurrency ?? config.concurrency,
    ...(queues === undefined ? {} : { queues }),
    name: `${hostname()}-${process.pid}`,
    workspaces: join(config.directory, 'workspaces'),
    sandbox: config.sandbox,
    ...(config.outbound === undefined ? {} : { outbound: config.outbound }),
    ...(config.prices === undefined ? {} : { prices: await loadPrices(config.prices) }),
    ...(config.rateLimits === undefined ? {} : { rateLimits: await loadRateLimits(config.rateLimits) }),
    log: pino({ level: config.logLevel ?? options.logLevel }, pino.destination({ fd: 2, sync: true })),
  });
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
export async function sayWhenIdle({ runtime, cli }: Session): Promise<void> {
  if ((await runtime.queue.consumers()) === 0) {
    cli.terminal.say('No worker is running. `millrace up` (or `millrace worker`) starts one, and the run goes on.');
  }
}
