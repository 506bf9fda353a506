import { omitUndefined } from '@millrace/core/omit-undefined';
import { z } from 'zod';
import { durationIn } from '../options/duration-argument.ts';
import type { Config } from './settings.ts';
import { variable } from './variable.ts';

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
        'Time in which a process may finish its active work after SIGTERM or Ctrl-C. Then it exits, and other processes take the work over.',
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
