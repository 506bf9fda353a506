import { omitUndefined } from '@millrace/core/omit-undefined';
import { z } from 'zod';
import { durationIn } from '../options/arguments.ts';
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

/** The variables of every command. */
export const commandVariables = {
  MILLRACE_URL: variable(
    z
      .url({ protocol: /^https?$/, error: 'must be the address of an HTTP API, such as http://127.0.0.1:4700' })
      .refine((url) => !/^\w+:\/\/[^/?#]*@/.test(url), 'must hold no user name or password: set MILLRACE_API_KEY')
      .optional(),
    {
      description: 'The [HTTP API](../guide/command-line.md#remote-installations) that commands use instead of Redis.',
      format: '`http://` or `https://` address without a user name or password',
      otherwise: 'Commands use Redis directly.',
      readBy: 'all commands',
    },
  ),
  MILLRACE_API_KEY: variable(
    z
      .string()
      .regex(/^[\x21-\x7e]+$/, 'has a character that no key has, such as a line break or a space')
      .optional(),
    {
      description: '[API key](../guide/security.md) for the HTTP API in `MILLRACE_URL`.',
      format: 'a key such as `mk_default_…`, without spaces',
      otherwise: 'Requests have no key.',
      readBy: 'commands over HTTP',
    },
  ),
  MILLRACE_LOG_LEVEL: variable(z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).optional(), {
    description: 'Lowest level of the [log lines](../guide/observability.md#logs) on stderr.',
    otherwise: '`info` for `worker`, otherwise `warn`',
    readBy: 'all commands',
  }),
  MILLRACE_STOP_GRACE: variable(
    z.string().default('25s').transform(durationIn).pipe(z.number('must be a duration such as 25s or 5m')),
    {
      description:
        'Time in which a process may finish its active work after SIGTERM, SIGHUP or Ctrl-C. Then it exits, and other processes take the work over.',
      format: 'duration, such as `90s` or `5m`',
      otherwise: '`25s`',
      readBy: 'all commands',
    },
  ),
};

/** Returns the address and the key of the HTTP API that commands use. */
export const apiIn = ({
  MILLRACE_URL,
  MILLRACE_API_KEY,
}: z.infer<z.ZodObject<typeof commandVariables>>): Pick<Config, 'api'> => {
  if (MILLRACE_URL === undefined) return {};
  return { api: omitUndefined({ url: MILLRACE_URL, apiKey: MILLRACE_API_KEY }) };
};
