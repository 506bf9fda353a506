import { omitUndefined } from '@millrace/core/omit-undefined';
import { z } from 'zod';
import type { Config } from './settings.ts';
import { variable, wholeNumber } from './variable.ts';

/** Environment variables of the location of Redis. */
export const redisVariables = {
  REDIS_URL: variable(
    z
      .string()
      .regex(
        /^(rediss?(\+(sentinel|cluster))?|(redis\+)?unix):\/\//,
        'must start with redis://, rediss://, unix://, redis+sentinel:// or redis+cluster://',
      )
      .optional(),
    {
      description:
        'Redis or Valkey, its sentinels, or its cluster; see [High availability](../guide/high-availability.md).',
      format:
        '`redis://user:password@host:port/db`; `rediss://` with TLS; `unix:///path`; `redis+sentinel://`, `redis+cluster://`',
      otherwise: 'A Redis is started, see [Command line](../guide/command-line.md#redis-and-local-runs).',
      readBy: 'processes with Redis',
    },
  ),
  REDIS_SENTINEL_PASSWORD: variable(z.string().optional(), {
    description: 'Password of the sentinels in `REDIS_URL`.',
    otherwise: 'The sentinels require no password.',
    readBy: 'processes with Redis',
  }),
  MILLRACE_PREFIX: variable(
    z
      .string()
      .regex(/^[A-Za-z0-9_-]+$/, 'may hold letters, digits, _ and - only')
      .optional(),
    {
      description:
        'Prefix of all [keys in Redis](redis-keys.md). Installations with different prefixes can share a Redis.',
      format: 'letters, digits, `_` and `-`',
      otherwise: '`millrace`',
      readBy: 'processes with Redis',
    },
  ),
  MILLRACE_REPLICAS: variable(wholeNumber(0, 10).optional(), {
    description:
      'Replicas of Redis that must have a start, an answer or the end of a run before it is acknowledged; see [High availability](../guide/high-availability.md#what-a-failover-can-lose).',
    otherwise: '`0`',
    readBy: 'processes with Redis',
  }),
};

/** Parses these variables. */
export const redisIn = ({
  REDIS_URL,
  REDIS_SENTINEL_PASSWORD: password,
  MILLRACE_PREFIX: prefix,
  MILLRACE_REPLICAS: replicas,
}: z.output<z.ZodObject<typeof redisVariables>>): Pick<Config, 'redisUrl' | 'prefix' | 'replicas'> => {
  const redisUrl =
    REDIS_URL === undefined || password === undefined ? REDIS_URL : withSentinelPassword(REDIS_URL, password);
  return omitUndefined({ redisUrl, prefix, replicas });
};

/** Returns the URL of Redis with the password of its sentinels among its options. */
function withSentinelPassword(url: string, password: string): string {
  if (!/^rediss?\+sentinel:/.test(url)) return url;
  return `${url}${url.includes('?') ? '&' : '?'}sentinel_password=${encodeURIComponent(password)}`;
}
