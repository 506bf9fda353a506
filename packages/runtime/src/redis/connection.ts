import { RequestError } from '@millrace/core';
import type { Redis, RedisOptions } from 'ioredis';
import { withTimeout } from '../concurrency/with-timeout.ts';
import { evicting } from './evicting.ts';
import { OutageMonitor } from './outage-monitor.ts';
import { OutageTolerantRedis } from './outage-tolerant-redis.ts';

/**
 * Opens a connection that survives outages: commands wait while Redis is unreachable or refuses them, however long.
 * Accepts `redis://`, `rediss://`, `unix:///path?db=1`, `redis+unix://user:password@localhost/path` and the path of a
 * socket. The role names the connection in CLIENT LIST; `onError` is called with every failed attempt to connect.
 */
export const connect = (url: string, role: string, onError?: (error: Error) => void): Redis =>
  connectWatched(url, role, onError).connection;

/** The connection, with the monitor of its outages and those of its duplicates. */
export function connectWatched(
  url: string,
  role: string,
  onError: (error: Error) => void = () => undefined,
): { readonly connection: Redis; readonly outages: OutageMonitor } {
  const options: Options = {
    replyMapping: 'legacy',
    connectionName: `millrace-${role}`,
    maxRetriesPerRequest: null,
    // A frozen server never closes its side.
    disconnectTimeout: 250,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 10), 2000),
  };
  const connection = open(url, options);
  connection.on('error', onError);
  const outages = new OutageMonitor(connection);
  connection.join(outages);
  return { connection, outages };
}

/** BullMQ silently fails on the other mapping. */
type Options = RedisOptions & { readonly replyMapping: 'legacy' };

function open(url: string, options: Options): OutageTolerantRedis {
  if (url.startsWith('/')) return new OutageTolerantRedis({ ...options, path: url });
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw new RequestError('REDIS_URL', `"${url}" is not the URL of a Redis, as in redis://localhost:6379.`);
  }
  switch (parsed.protocol) {
    case 'redis:':
    case 'rediss:':
      return new OutageTolerantRedis(url, options);
    case 'unix:':
    case 'redis+unix:':
      return new OutageTolerantRedis({ ...options, ...socketOptions(parsed) });
    default:
      throw new RequestError(
        'REDIS_URL',
        `A Redis URL starts with redis:, rediss: or unix:, not with "${parsed.protocol}".`,
      );
  }
}

function socketOptions(url: URL): Pick<RedisOptions, 'path' | 'username' | 'password' | 'db'> {
  const options: ReturnType<typeof socketOptions> = { path: decodeURIComponent(url.pathname) };
  if (url.username !== '') options.username = decodeURIComponent(url.username);
  if (url.password !== '') options.password = decodeURIComponent(url.password);
  const db = url.searchParams.get('db');
  if (db !== null) options.db = Number(db);
  return options;
}

/** Findings about a Redis that is to store runs. */
export interface RedisFindings {
  readonly version: string;
  /** True when Redis writes an append-only file: without it, a crash of Redis loses runs. */
  readonly aof: boolean;
  readonly appendfsync: string;
  readonly policy: string;
  readonly warnings: readonly string[];
}

const unknown = 'unknown';
const oldest = [6, 2] as const;

/**
 * Checks that a Redis is fit to store runs: throws a {@link RequestError} when it cannot be reached within `timeoutMs`,
 * is too old, or may evict keys; returns the consequences of its other settings.
 */
export async function assertRedis(connection: Redis, timeoutMs = 10_000): Promise<RedisFindings> {
  if (connection.options.replyMapping === 'resp3') {
    throw new TypeError('BullMQ silently fails on connections with replyMapping "resp3".');
  }
  const info = parseInfo(await withTimeout(connection.info(), timeoutMs, () => notAnswered(timeoutMs)));
  const version = info.get('redis_version') ?? unknown;
  assertVersion(version);
  const policy = info.get('maxmemory_policy') ?? (await setting(connection, 'maxmemory-policy'));
  assertPolicy(policy);
  const aof = info.get('aof_enabled') === '1';
  const appendfsync = aof ? await setting(connection, 'appendfsync') : 'no';
  return { version, aof, appendfsync, policy, warnings: warningsOn({ aof, appendfsync, policy }) };
}

const notAnswered = (timeoutMs: number): RequestError =>
  new RequestError(
    'REDIS_UNREACHABLE',
    `Redis did not answer within ${timeoutMs} ms. Is it running, and is its URL right?`,
  );

function parseInfo(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(/\r?\n/).filter((line) => !line.startsWith('#') && line.includes(':'));
  return new Map(pairs.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
}

/** Returns a setting of the server; managed servers may refuse to return it. */
async function setting(connection: Redis, name: string): Promise<string> {
  try {
    // CONFIG GET of one name answers with that name and its value, or with nothing.
    const reply = (await connection.config('GET', name)) as readonly string[];
    return reply[1] ?? unknown;
  } catch {
    return unknown;
  }
}

function assertVersion(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (version === unknown || major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return;
  throw new RequestError('REDIS_VERSION', `Redis ${version} is too old: ${oldest.join('.')} or later is needed.`);
}

function assertPolicy(policy: string): void {
  if (policy === 'noeviction' || policy === unknown) return;
  throw evicting(policy);
}

function warningsOn({ aof, appendfsync, policy }: Pick<RedisFindings, 'aof' | 'appendfsync' | 'policy'>): string[] {
  const warnings: string[] = [];
  if (policy === unknown) warnings.push('Redis does not tell its maxmemory-policy: make sure that it is noeviction.');
  if (!aof) warnings.push('Redis writes no append-only file: when it crashes, runs are lost. Set appendonly to yes.');
  if (appendfsync === unknown)
    warnings.push('Redis does not tell its appendfsync: how much a power loss may cost is unknown.');
  if (aof && appendfsync === 'everysec')
    warnings.push(
      'Redis syncs its append-only file once a second (appendfsync everysec): a power loss may cost the last second.',
    );
  if (aof && appendfsync === 'no')
    warnings.push(
      'Redis leaves syncing its append-only file to the system (appendfsync no): a power loss may cost the last half minute.',
    );
  return warnings;
}
