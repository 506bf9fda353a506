import { isIP } from 'node:net';
import { omitUndefined } from '@millrace/core/omit-undefined';
import { z } from 'zod';
import { namesIn, variable, wholeNumber } from './variable.ts';

/** Addresses and networks of proxies, or their number. */
type TrustedProxies = readonly string[] | number;

const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;

/** Environment variables of the limits of the HTTP API. */
export const httpVariables = {
  MILLRACE_CORS_ORIGINS: z
    .string()
    .default('')
    .transform(namesIn)
    .refine(
      (origins) => origins.every(isOrigin),
      'must be origins such as https://app.example, with commas between; there is no * for all',
    )
    .meta({
      description:
        'Origins of other sites whose pages may use the HTTP API in a browser; see [Security](../guide/security.md).',
      format: 'origins such as `https://app.example`, separated by commas',
      otherwise: 'none',
      readBy: 'servers',
    }),
  MILLRACE_TRUST_PROXY: z
    .string()
    .transform(trustedProxiesIn)
    .refine(
      (proxies) => proxies !== undefined,
      'must be addresses and networks such as 10.1.0.0/16, with commas between, or how many proxies there are',
    )
    .optional()
    .meta({
      description:
        'The proxies in front of the HTTP API whose `X-Forwarded-…` headers are trusted; see [Security](../guide/security.md#behind-a-proxy).',
      format: 'addresses and networks separated by commas, or the number of proxies',
      otherwise: 'none',
      readBy: 'servers',
    }),
  MILLRACE_DRAIN_MS: variable(wholeNumber(0, 3_600_000).optional(), {
    description:
      'Milliseconds for which a server continues serving after SIGTERM while `/readyz` answers 503; see [High availability](../guide/high-availability.md#several-servers).',
    otherwise: '`5000` if `/readyz` was asked for twice in the last minute, otherwise `0`',
    readBy: 'servers',
  }),
  MILLRACE_REQUESTS_PER_MINUTE: variable(wholeNumber(1, 10_000_000).optional(), {
    description: 'Requests of one caller in a minute, over all servers; see [Security](../guide/security.md#limits).',
    otherwise: '`6000`',
    readBy: 'servers',
  }),
  MILLRACE_SECRET: variable(z.string().min(16, 'must have 16 characters or more').optional(), {
    description:
      'Secret from which the secrets of [webhooks](../guide/webhooks.md) are derived; the same for all servers.',
    format: 'text of 16 characters or more',
    otherwise: 'a file in `MILLRACE_DIR`, which is made when it is missing',
    readBy: 'processes with Redis',
  }),
  MILLRACE_WEBHOOK_REST_MS: variable(wholeNumber(1, 3_600_000).optional(), {
    description:
      'Delay before the first retry of a [webhook](../guide/webhooks.md), in milliseconds. It doubles with each further retry.',
    otherwise: '`10000`',
    readBy: 'servers',
  }),
};

/** Limits of the HTTP API of this process; absent parts: its defaults. */
export interface HttpLimits {
  readonly corsOrigins: readonly string[];
  readonly requestsPerMinute?: number;
  readonly trustProxy?: TrustedProxies;
  /** Time for which a server continues to serve after a request to stop, in milliseconds. */
  readonly drainMs?: number;
}

/** Parses these variables. */
export const httpLimitsIn = ({
  MILLRACE_CORS_ORIGINS: corsOrigins,
  MILLRACE_REQUESTS_PER_MINUTE: requestsPerMinute,
  MILLRACE_TRUST_PROXY: trustProxy,
  MILLRACE_DRAIN_MS: drainMs,
}: z.output<z.ZodObject<typeof httpVariables>>): HttpLimits =>
  omitUndefined({ corsOrigins, requestsPerMinute, trustProxy, drainMs });

/** Reads a count of proxies, or a list of addresses and networks; undefined if the text is neither. Empty: none. */
function trustedProxiesIn(text: string): TrustedProxies | undefined {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const [first = ''] = entries;
  if (entries.length === 1 && /^\d{1,2}$/.test(first)) return Number(first);
  return entries.every(isNetwork) ? entries : undefined;
}

function isNetwork(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32));
}
