import type { RedisServer } from '../redis/redis.ts';
import { tellRedis } from '../redis/tell-redis.ts';

/** A reason for which Redis does not serve. */
export interface OutageKind {
  readonly code: string;
  /** Arguments of the server. */
  readonly settings?: readonly string[];
  begin(redis: RedisServer): Promise<unknown>;
  end(redis: RedisServer): Promise<unknown>;
}

const config = (name: string, during: string, after: string): Pick<OutageKind, 'begin' | 'end'> => ({
  begin: ({ url }) => tellRedis(url, 'CONFIG', 'SET', name, during),
  end: ({ url }) => tellRedis(url, 'CONFIG', 'SET', name, after),
});

const replica: Pick<OutageKind, 'begin' | 'end'> = {
  // There is no master at that port.
  begin: ({ url }) => tellRedis(url, 'REPLICAOF', '127.0.0.1', 1),
  end: ({ url }) => tellRedis(url, 'REPLICAOF', 'NO', 'ONE'),
};

/** Outages that one server can be brought into and out of, by what it is then. */
export const outageKinds = {
  'is a read-only replica': { code: 'REDIS_READONLY', ...replica },
  'is a replica without its master': {
    code: 'REDIS_READONLY',
    settings: ['--replica-serve-stale-data', 'no'],
    ...replica,
  },
  'has too few replicas': { code: 'REDIS_NO_REPLICAS', ...config('min-replicas-to-write', '1', '0') },
  'has no memory left': { code: 'REDIS_FULL', ...config('maxmemory', '1', '0') },
  'refuses connections': {
    code: 'REDIS_UNREACHABLE',
    begin: (redis) => redis.kill(),
    end: (redis) => redis.restart(),
  },
  'is frozen': { code: 'REDIS_UNREACHABLE', begin: (redis) => redis.freeze(), end: (redis) => redis.thaw() },
} as const satisfies Readonly<Record<string, OutageKind>>;
