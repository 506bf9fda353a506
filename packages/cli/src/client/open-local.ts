import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@millrace/client';
import type { Vocabulary } from '@millrace/core';
import { omitUndefined } from '@millrace/core/omit-undefined';
import type { BlobLocation, Runtime, Tracing } from '@millrace/runtime';
import { createOutboundPolicy, openRuntime, provideRedis } from '@millrace/runtime';
import type { FoundRedis } from '@millrace/runtime/find-redis';
import { installationSecret } from '../config/installation-secret.ts';
import type { Config } from '../config/settings.ts';
import type { Cli } from '../process/cli.ts';
import { openVocabulary } from '../workflow/open-vocabulary.ts';
import type { LocalClients } from './local-clients.ts';

/** Runtime of an installation, and the vocabulary of its workflows. */
export interface Machine {
  readonly runtime: Runtime;
  readonly vocabulary: Vocabulary;
}

/** Installation that was opened in this process. */
interface OpenedLocal {
  readonly machine: Machine;
  readonly storage: 'memory' | 'redis';
  readonly tracing: Tracing | undefined;
  /** URL of the Redis that Millrace has started; absent: it is in memory, or the environment names it. */
  readonly hasOwnRedis: boolean;
  endsWithProcess(): boolean;
  readonly client: Client;
  of(tenant: string): Promise<Client>;
}

/** Registers functions that the command calls when it ends. */
interface Closers {
  defer(close: () => Promise<void> | void): void;
}

/** Opens the runs of this machine: in the Redis that was found, or in memory. */
export async function openLocal(cli: Cli, found: FoundRedis | undefined, { defer }: Closers): Promise<OpenedLocal> {
  const config = await cli.config();
  // Unusable settings are reported before anything is opened.
  createOutboundPolicy(config.outbound ?? []);
  const { vocabulary, close } = await openVocabulary(cli);
  defer(close);
  const report = (message: string, error?: unknown) => cli.terminal.say(`! ${message}${causeOf(error)}`);
  const redis = found === undefined ? undefined : await reachRedis({ cli, config, found, defer });
  const location = redis === undefined ? { local: true as const, limits: config.limits } : locationOf(config, redis);
  const runtime = await reportSlowConnection(cli, redis, () => openRuntime(location, vocabulary, report));
  defer(() => runtime.close());
  if (redis === undefined) cli.terminal.say('Runs are kept in memory: nothing survives this process.');
  // The settings of an embedded Redis are our own.
  else if (redis.origin === 'url') for (const finding of runtime.findings) cli.terminal.say(`! ${finding}`, 'yellow');
  const tracing = await embedTracing(cli, runtime, defer);
  const machine = { runtime, vocabulary };
  const clients = clientsOf(machine, config);
  return {
    machine,
    tracing,
    client: lazily(clients),
    of: async (tenant) => (await clients()).of(tenant),
    storage: redis === undefined ? 'memory' : 'redis',
    hasOwnRedis: redis !== undefined && redis.origin !== 'url',
    endsWithProcess: () => redis === undefined || !redis.usedByOthers(),
  };
}

type Redis = Awaited<ReturnType<typeof provideRedis>>;

interface RedisAccess extends Closers {
  readonly cli: Cli;
  readonly config: Config;
  readonly found: FoundRedis;
}

async function reachRedis({ cli, config: { directory }, found, defer }: RedisAccess): Promise<Redis> {
  const report = (line: string) => cli.terminal.say(line, 'dim');
  const verbose = cli.verbose === true ? { reportJoined: report } : {};
  const redis = await provideRedis({ directory, report, ...verbose }, found);
  defer(() => redis.release());
  return redis;
}

/** Time after which the command reports that Redis does not respond, in milliseconds. */
const reportAfterMs = 2000;

/** Reports that Redis does not respond, while the command continues to connect. */
async function reportSlowConnection<T>(
  { terminal }: Cli,
  redis: Redis | undefined,
  connect: () => Promise<T>,
): Promise<T> {
  if (redis === undefined) return connect();
  const timer = setTimeout(
    () => terminal.say(`Redis does not answer at ${addressOf(redis.url)} so far. Still trying.`, 'yellow'),
    reportAfterMs,
  );
  try {
    return await connect();
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the address of a URL without its user and password. */
function addressOf(url: string): string {
  // The servers of a cluster and sentinels have several addresses, which are not parsed as a URL.
  const [, scheme, servers] = /^([\w+]+:\/\/)(?:[^/?#]*@)?([^?]*)/.exec(url) ?? [];
  return scheme === undefined ? url : `${scheme}${servers}`;
}

function locationOf(config: Config, redis: Redis) {
  const { prefix, directory, blobs, journalWindow, keep, keepFilesMs, archive, limits, replicas } = config;
  // All processes on an embedded Redis share its directory; those on another Redis may share only that Redis.
  const blobLocation = blobs ?? (redis.origin === 'url' ? undefined : blobsIn(directory));
  return {
    redisUrl: redis.url,
    limits,
    // Braces keep all keys of the installation in one slot of a Redis cluster.
    ...(prefix === undefined ? {} : { prefix: `{${prefix}}` }),
    ...omitUndefined({ blobs: blobLocation, journalWindow, keep, keepFilesMs, archive, replicas }),
  };
}

const causeOf = (error: unknown): string =>
  error === undefined ? '' : `: ${error instanceof Error ? error.message : String(error)}`;

const blobsIn = (directory: string): BlobLocation => ({ type: 'directory', path: resolve(directory, 'blobs') });

/** Returns a function that opens the clients when they are first needed: workers call no operation. */
function clientsOf(machine: Machine, config: Config): () => Promise<LocalClients> {
  let opened: Promise<LocalClients> | undefined;
  const { outbound } = config;
  const open = async (): Promise<LocalClients> => {
    const { openLocalClients } = await import('./local-clients.ts');
    return openLocalClients({
      ...machine,
      secret: installationSecret(config),
      intakeOf: 'all',
      ...omitUndefined({ allow: outbound }),
    });
  };
  return () => (opened ??= open());
}

const lazily = (clients: () => Promise<LocalClients>): Client => ({
  call: async (name, input, call) => (await clients()).all.call(name, input, call),
  content: async (name, input, call) => (await clients()).all.content(name, input, call),
  events: async (name, input, call) => (await clients()).all.events(name, input, call),
  live: async (name, input, call) => (await clients()).all.live(name, input, call),
  readiness: async () => (await clients()).all.readiness(),
});

/** Maximum time that an ending command waits for a collector that does not respond, in milliseconds. */
const closeTimeoutMs = 3000;

/** Starts tracing in this process if the environment enables it; `defer` receives the function that sends the last spans. */
async function embedTracing(
  cli: Cli,
  runtime: Runtime,
  defer: (close: () => Promise<void>) => void,
): Promise<Tracing | undefined> {
  const { tracing: config } = await cli.config();
  if (config === undefined) return undefined;
  const { createTracing } = await import('@millrace/runtime');
  const tracing = await createTracing({ service: 'millrace', ...config });
  runtime.instrumentation.add(tracing.instrumentation);
  defer(() => Promise.race([tracing.close().catch(() => undefined), sleep(closeTimeoutMs, undefined, { ref: false })]));
  return tracing;
}
