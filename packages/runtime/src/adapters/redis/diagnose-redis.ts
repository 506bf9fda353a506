import { RequestError } from '@millrace/core';
import type { Redis } from 'ioredis';
import type { Finding } from '../../ports/admin.ts';
import type { RedisFindings } from './connection/assert-redis.ts';
import { assertRedis } from './connection/assert-redis.ts';
import { connect } from './connection/connection.ts';
import { headroomOf } from './connection/headroom.ts';
import { needReplicas, unconfirmedWrites } from './connection/replication.ts';
import type { Shard } from './connection/shard.ts';
import { createShard } from './connection/shard.ts';
import { assertNoOlderData } from './store/commit-in-format.ts';

const answersWithinMs = 3000;
/** Clocks within one data center differ by less. */
const clockToleranceMs = 1000;

/** Checks a Redis that is to store runs: whether it answers, how durable it is, how full it is. Never throws. */
export async function diagnoseRedis(url: string, prefix?: string): Promise<readonly Finding[]> {
  let connection: Redis | undefined;
  try {
    connection = connect(url, 'doctor', prefix);
    return await checkRedis(createShard(connection, prefix));
  } catch (error) {
    return [unfit(error)];
  } finally {
    connection?.disconnect();
  }
}

/** Checks the Redis of a shard likewise. Never throws. */
export async function checkRedis(shard: Shard): Promise<readonly Finding[]> {
  const { connection, keys } = shard;
  try {
    const found = await assertRedis(connection, { timeoutMs: answersWithinMs, probeKey: keys.probe });
    await assertNoOlderData(shard);
    return [
      answering(found),
      ...persistence(found),
      ...replication(found),
      await memory(connection),
      await clock(connection),
    ];
  } catch (error) {
    return [unfit(error)];
  }
}

function unfit(error: unknown): Finding {
  const message = error instanceof Error ? error.message : String(error);
  return { level: 'bad', subject: 'Redis', message, cure: cures[codeOf(error)] ?? cures['REDIS_UNREACHABLE'] ?? '' };
}

const codeOf = (error: unknown): string => (error instanceof RequestError ? error.code : '');

const cures: Readonly<Record<string, string>> = {
  REDIS_UNREACHABLE: 'Start it, or set REDIS_URL to where it is.',
  REDIS_URL: 'Set REDIS_URL to something like redis://localhost:6379.',
  REDIS_AUTH: 'Write the user and the password into REDIS_URL: redis://user:password@host:6379.',
  REDIS_TLS: 'Set NODE_EXTRA_CA_CERTS to the certificate of the authority, and REDIS_URL to a name in the certificate.',
  REDIS_PERMISSION: 'Give the user the permissions in docs/errors/REDIS_PERMISSION.md.',
  REDIS_MOVED: 'Set REDIS_URL to redis+cluster:// and the addresses of some nodes.',
  REDIS_VERSION: 'Install Redis 6.2 or later (7 is recommended), or Valkey.',
  FORMAT_OLDER: 'Set MILLRACE_PREFIX to another prefix, or MILLRACE_DIR to an empty directory.',
  REDIS_EVICTION: 'redis-cli config set maxmemory-policy noeviction, and in redis.conf.',
};

const answering = ({ version, policy }: RedisFindings): Finding => ({
  level: 'good',
  subject: 'Redis',
  message: `${version} answers; maxmemory-policy ${policy}`,
});

/** Returns the finding about what a crash or a power loss may cost. */
function persistence({ aof, appendfsync }: RedisFindings): Finding[] {
  const subject = 'persistence';
  if (!aof) {
    return [
      {
        level: 'weak',
        subject,
        message: 'no append-only file: when Redis crashes, all since its last snapshot is lost',
        cure: 'redis-cli config set appendonly yes, and in redis.conf.',
      },
    ];
  }
  const lost: Readonly<Record<string, string>> = {
    always: 'a crash costs nothing, a power loss nothing that was acknowledged',
    everysec: 'a crash of Redis costs nothing, a power loss up to the last two seconds',
    no: 'a crash of Redis costs nothing, a power loss up to half a minute',
  };
  return [
    {
      level: appendfsync === 'no' ? 'weak' : 'good',
      subject,
      message: `append-only file, appendfsync ${appendfsync}: ${lost[appendfsync] ?? 'what a power loss may cost is unknown'}`,
      ...(appendfsync === 'no' ? { cure: 'redis-cli config set appendfsync everysec, and in redis.conf.' } : {}),
    },
  ];
}

/** Returns the finding about what a failover may cost, and about a URL that does not follow one. */
function replication({ replication: found }: RedisFindings): Finding[] {
  const subject = 'replication';
  const message = unconfirmedWrites(found);
  if (message !== undefined) return [{ level: 'weak', subject, message, cure: needReplicas }];
  if (found.replicas === 0) return [];
  return [{ level: 'good', subject, message: `${found.replicas} connected, and Redis writes only while they are` }];
}

async function memory(connection: Redis): Promise<Finding> {
  const { usedBytes, limitBytes, isFull } = await headroomOf(connection);
  const used = `${megabytes(usedBytes)} MB in use`;
  if (limitBytes === 0) return { level: 'good', subject: 'memory', message: `${used}, no maxmemory` };
  const message = `${used} of ${megabytes(limitBytes)} MB`;
  if (!isFull) return { level: 'good', subject: 'memory', message };
  return {
    level: 'bad',
    subject: 'memory',
    message: `${message}: new runs are refused until others have been removed`,
    cure: 'Raise maxmemory, or shorten how long ended runs are kept.',
  };
}

const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);

async function clock(connection: Redis): Promise<Finding> {
  const [seconds = 0, microseconds = 0] = (await connection.time()).map(Number);
  const offsetMs = Math.round(Date.now() - (seconds * 1000 + microseconds / 1000));
  const message = `differs from Redis' by ${Math.abs(offsetMs)} ms; runs go by Redis' clock`;
  if (Math.abs(offsetMs) <= clockToleranceMs) return { level: 'good', subject: 'clock', message };
  return { level: 'weak', subject: 'clock', message, cure: 'Let both machines keep their time by NTP.' };
}
