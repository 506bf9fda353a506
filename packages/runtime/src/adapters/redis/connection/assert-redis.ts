import { RequestError } from '@millrace/core';
import type { Redis } from 'ioredis';
import { withTimeout } from '../../../concurrency/with-timeout.ts';
import { evicting } from '../../../ports/store/capacity.ts';
import { isMisconfigured, reasonOf, refusedBy, unreachableBy } from '../outages/outage.ts';
import type { Replication } from './replication.ts';
import { replicationIn, replicationWarnings } from './replication.ts';

/** Findings about a Redis that is to store runs. */
export interface RedisFindings {
  readonly version: string;
  /** True when Redis writes an append-only file: without it, a crash of Redis loses runs. */
  readonly aof: boolean;
  readonly appendfsync: string;
  readonly policy: string;
  readonly replication: Replication;
  readonly warnings: readonly string[];
}

const unknown = 'unknown';
const oldest = [6, 2] as const;

/** Options of {@link assertRedis}. */
export interface AssertionOptions {
  /** Time that Redis has to answer. */
  readonly timeoutMs?: number;
  /** Key of writes that change nothing: a node of a cluster is checked to store it. */
  readonly probeKey?: string;
}

const oneNode =
  'REDIS_URL names one node of a Redis cluster: it is lost with that node, and when the keys move. Set it to redis+cluster:// and the addresses of some nodes.';

/**
 * Checks that a Redis is fit to store runs: throws a {@link RequestError} when it cannot be reached within `timeoutMs`,
 * is too old, or may evict keys; returns the consequences of its other settings.
 */
export async function assertRedis(
  connection: Redis,
  { timeoutMs = 10_000, probeKey }: AssertionOptions = {},
): Promise<RedisFindings> {
  if (connection.options.replyMapping === 'resp3') {
    throw new TypeError('BullMQ silently fails on connections with replyMapping "resp3".');
  }
  const info = parseInfo(await readInfo(connection, timeoutMs));
  const version = info.get('redis_version') ?? unknown;
  assertVersion(version);
  const policy = info.get('maxmemory_policy') ?? (await setting(connection, 'maxmemory-policy'));
  assertPolicy(policy);
  const aof = info.get('aof_enabled') === '1';
  const appendfsync = aof ? await setting(connection, 'appendfsync') : 'no';
  const replication = replicationIn(info);
  const isOneNode = replication.inCluster && connection.options.Connector === undefined;
  // Fails when another node stores the keys.
  if (isOneNode && probeKey !== undefined) await connection.setrange(probeKey, 0, '');
  const warnings = [
    ...warningsOn({ aof, appendfsync, policy }),
    ...replicationWarnings(replication),
    ...(isOneNode ? [oneNode] : []),
  ];
  return { version, aof, appendfsync, policy, replication, warnings };
}

/** Reads INFO, unless Redis does not answer in time or no connection can ever be made. */
async function readInfo(connection: Redis, timeoutMs: number): Promise<string> {
  let cause: unknown;
  let onError: (error: Error) => void = () => undefined;
  const misconfigured = new Promise<never>((_resolve, reject) => {
    onError = (error) => {
      cause = error;
      if (isMisconfigured(error)) reject(refusedBy(unreachableBy(error)));
    };
  });
  connection.on('error', onError);
  try {
    const answer = Promise.race([connection.info(), misconfigured]);
    return await withTimeout(answer, timeoutMs, () => notAnswered(timeoutMs, cause));
  } finally {
    connection.off('error', onError);
  }
}

function notAnswered(timeoutMs: number, cause: unknown): RequestError {
  const reason = cause === undefined ? '' : `: ${reasonOf(cause)}`;
  return new RequestError(
    'REDIS_UNREACHABLE',
    `Redis did not answer within ${timeoutMs} ms${reason}. Is it running, and is its URL right?`,
  );
}

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
