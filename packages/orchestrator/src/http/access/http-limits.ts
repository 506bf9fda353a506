import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import { RequestError } from '@millrace/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TrustedProxies } from '../request/trusted-proxies.ts';
import type { Server } from '../server.ts';
import type { CountingOptions } from './request-counter.ts';
import { requestCounter } from './request-counter.ts';

/** Settings of an installation for its API. */
export interface HttpLimits {
  /** Maximum number of requests with one key per minute, in all servers together. */
  readonly requestsPerMinute: number;
  /** Web origins whose pages may use the API; none by default. */
  readonly corsOrigins: readonly string[];
  /** None by default. */
  readonly trustProxy: TrustedProxies;
  /**
   * Time for which a server continues serving after it was told to stop, in milliseconds, so that load balancers notice;
   * default: 5,000 if `/readyz` was asked for twice in the last minute, else 0.
   */
  readonly drainMs?: number;
}

/** Default settings. */
export const defaultHttpLimits: HttpLimits = { requestsPerMinute: 6000, corsOrigins: [], trustProxy: [] };

/** Counts a request that was not admitted. Throws RequestError if there were too many from its address. */
export type CountUnauthenticated = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Adds protection of browsers and limits of requests; called before any route, because limits are per route. */
export async function applyHttpLimits(
  server: Server,
  { requestsPerMinute, corsOrigins }: HttpLimits,
  counting: CountingOptions,
): Promise<CountUnauthenticated> {
  await server.register(helmet, {
    contentSecurityPolicy: {
      directives: {
        // This port may have no TLS, so requests must not be upgraded.
        upgradeInsecureRequests: null,
        // Pages of packages load nothing from elsewhere, such as fonts.
        styleSrc: ["'self'", "'unsafe-inline'"],
        fontSrc: ["'self'", 'data:'],
      },
    },
  });
  if (corsOrigins.length > 0) {
    await server.register(cors, {
      origin: [...corsOrigins],
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposedHeaders: ['etag', 'location', 'x-request-id', 'idempotent-replayed', 'retry-after', 'traceparent'],
      maxAge: 600,
    });
  }
  await server.register(rateLimit, {
    max: requestsPerMinute,
    timeWindow: 60_000,
    store: requestCounter(counting),
    // The caller is known only then.
    hook: 'preHandler',
    keyGenerator: ({ caller, ip }) => caller?.name ?? ip,
    enableDraftSpec: true,
    addHeadersOnExceeding: draftHeaders,
    addHeaders: { ...draftHeaders, 'retry-after': true },
    errorResponseBuilder: (_request, { max, ttl }) =>
      new RequestError(
        'RATE_LIMITED',
        `This key has made its ${max} requests of this minute. Try again in ${Math.ceil(ttl / 1000)} seconds.`,
      ),
  });
  return createUnauthenticatedCounter(server, requestsPerMinute);
}

/**
 * Counts by address, because such callers are unknown. Callers with a valid key are not affected: proxies share
 * addresses.
 */
function createUnauthenticatedCounter(server: Server, max: number): CountUnauthenticated {
  const count = server.createRateLimit({ max, keyGenerator: ({ ip }) => `stranger ${ip}` });
  return async (request, reply) => {
    const counted = await count(request);
    if (counted.isAllowed || !counted.isExceeded) return;
    reply.header('retry-after', counted.ttlInSeconds);
    throw new RequestError(
      'RATE_LIMITED',
      `More than ${max} requests of this minute came from this address without a valid key. Try again in ${counted.ttlInSeconds} seconds.`,
    );
  };
}

const draftHeaders = { 'ratelimit-limit': true, 'ratelimit-remaining': true, 'ratelimit-reset': true };
