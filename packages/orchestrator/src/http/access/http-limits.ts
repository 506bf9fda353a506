import cors from '@fastify/cors';
import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit';
import rateLimit from '@fastify/rate-limit';
import { RequestError } from '@millrace/core';
import type { Outages, RequestCount, RequestCounts } from '@millrace/runtime';
import { withTimeout } from '@millrace/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import helmet from 'helmet';
import type { TrustedProxies } from '../request/trusted-proxies.ts';
import type { Server } from '../server.ts';
import type { UnderWayLimits } from './requests-under-way.ts';

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
  /** Time in which a request must arrive to its end, in milliseconds; default: ten minutes. */
  readonly arrivesWithinMs?: number;
  /** What the requests of one tenant may hold of this server at a time. */
  readonly underWay?: UnderWayLimits;
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
  // Fastify's plugin would make the headers anew for each request.
  const addHeaders = helmet({
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
  server.addHook('onRequest', (request, reply, done) => addHeaders(request.raw, reply.raw, () => done()));
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
    errorResponseBuilder: ({ caller }, { max, ttl }) =>
      new RequestError(
        'RATE_LIMITED',
        `This ${caller === undefined ? 'address' : 'key'} has made its ${max} requests of this minute. Try again in ${Math.ceil(ttl / 1000)} seconds.`,
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

/** Parts of a counter of requests. */
export interface CountingOptions {
  /** Counts that all servers share; absent: this server counts alone. */
  readonly counts: RequestCounts | undefined;
  readonly outages: Pick<Outages, 'current'> | undefined;
}

/** Time that a request waits for its count, in milliseconds. */
const countTimeoutMs = 500;
/** Maximum number of callers that this server counts by itself. */
const maxCallers = 10_000;

/**
 * Creates the store of the rate limiter, which counts the requests of each caller in all servers together. While Redis
 * is unavailable or slow, each server counts by itself: limits must not refuse requests that read what is cached.
 */
export function requestCounter({ counts, outages }: CountingOptions): FastifyRateLimitStoreCtor {
  const alone = countsOfThisServer();
  const add = async (caller: string, windowMs: number): Promise<RequestCount> => {
    if (counts === undefined || outages?.current() !== undefined) return alone(caller, windowMs);
    return withTimeout(counts.add(caller, windowMs), countTimeoutMs, () => new Error('Redis is slow')).catch(() =>
      alone(caller, windowMs),
    );
  };
  const store: FastifyRateLimitStore = {
    incr(caller, callback, windowMs = 60_000) {
      void add(caller, windowMs).then(({ count, remainingMs }) => callback(null, { current: count, ttl: remainingMs }));
    },
    child: () => store,
  };
  // The plugin creates its store itself; a constructor may return another object.
  return function Store() {
    return store;
  } as unknown as FastifyRateLimitStoreCtor;
}

/** Counts in this process. The callers that came first are dropped first. */
function countsOfThisServer(): (caller: string, windowMs: number) => RequestCount {
  const windows = new Map<string, { count: number; readonly endsAt: number }>();
  return (caller, windowMs) => {
    const now = performance.now();
    let window = windows.get(caller);
    if (window === undefined || window.endsAt <= now) {
      windows.delete(caller);
      window = { count: 0, endsAt: now + windowMs };
      windows.set(caller, window);
    }
    window.count += 1;
    const [first] = windows.keys();
    if (windows.size > maxCallers && first !== undefined) windows.delete(first);
    return { count: window.count, remainingMs: window.endsAt - now };
  };
}
