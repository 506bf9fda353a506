import { omitUndefined } from '@millrace/core/omit-undefined';
import { z } from 'zod';
import type { TrustedProxies } from './trusted-proxies.ts';
import { trustedProxiesIn } from './trusted-proxies.ts';

const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;

/** The variables that say how the HTTP API treats its callers. */
export const httpVariables = {
  MILLRACE_CORS_ORIGINS: z
    .string()
    .default('')
    .transform((list) =>
      list
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    )
    .refine(
      (origins) => origins.every(isOrigin),
      'must be origins such as https://app.example, with commas between; there is no * for all',
    ),
  MILLRACE_TRUST_PROXY: z
    .string()
    .transform(trustedProxiesIn)
    .refine(
      (proxies) => proxies !== undefined,
      'must be addresses and networks such as 10.1.0.0/16, with commas between, or how many proxies there are',
    )
    .optional(),
  MILLRACE_DRAIN_MS: z.preprocess(
    (value) => (value === '' ? undefined : value),
    z.coerce.number().int().min(0).max(3_600_000).optional(),
  ),
  MILLRACE_REQUESTS_PER_MINUTE: z.preprocess(
    (value) => (value === '' ? undefined : value),
    z.coerce.number().int().min(1).max(10_000_000).optional(),
  ),
};

/** Limits of the HTTP API of this process; absent parts: its defaults. */
export interface HttpLimits {
  readonly corsOrigins: readonly string[];
  readonly requestsPerMinute?: number;
  readonly trustProxy?: TrustedProxies;
  /** Time for which a server goes on serving after it was told to stop, in milliseconds. */
  readonly drainMs?: number;
}

/** Reads them. */
export const httpLimitsIn = ({
  MILLRACE_CORS_ORIGINS: corsOrigins,
  MILLRACE_REQUESTS_PER_MINUTE: requestsPerMinute,
  MILLRACE_TRUST_PROXY: trustProxy,
  MILLRACE_DRAIN_MS: drainMs,
}: z.output<z.ZodObject<typeof httpVariables>>): HttpLimits =>
  omitUndefined({ corsOrigins, requestsPerMinute, trustProxy, drainMs });
