import type { TenantId } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { FastifyRequest } from 'fastify';
import type { Server } from '../server.ts';

/** What the requests of one tenant may hold of a server at a time. */
export interface UnderWayLimits {
  /** Number of requests that have no complete response yet, streams of events among them. */
  readonly requests: number;
  /** Bytes of bodies that are kept until their responses. */
  readonly bodyBytes: number;
}

const defaultLimits: UnderWayLimits = { requests: 2000, bodyBytes: 256 * 1024 * 1024 };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is stored while it arrives, and not kept until the response. */
    storesBody?: true;
  }
}

/** What a tenant holds. */
interface Held {
  requests: number;
  bodyBytes: number;
}

/**
 * Refuses requests of tenants that hold too much of this server: the number of requests in a minute bounds neither waits and
 * streams, which may take hours, nor the memory of large bodies. Added after callers are known.
 */
export function limitRequestsUnderWay(server: Server, limits = defaultLimits): void {
  const tenants = new Map<TenantId, Held>();
  server.addHook('onRequest', async (request, reply) => {
    const { tenant } = (request.caller as FastifyRequest['caller'] | undefined)?.tenant ?? {};
    // Routes without a scope have no caller. The close of a response whose client has gone is over.
    if (tenant === undefined || reply.raw.closed) return;
    const held = tenants.get(tenant) ?? { requests: 0, bodyBytes: 0 };
    const bodyBytes = bytesKeptOf(request);
    const excess = excessOf(held, bodyBytes, limits);
    if (excess !== undefined) {
      reply.header('retry-after', '1');
      throw new RequestError('RATE_LIMITED', `${excess} at this server. Wait until some of them are answered.`);
    }
    held.requests += 1;
    held.bodyBytes += bodyBytes;
    tenants.set(tenant, held);
    // Also emitted when the client disconnects in the middle.
    reply.raw.once('close', () => {
      held.requests -= 1;
      held.bodyBytes -= bodyBytes;
      if (held.requests === 0) tenants.delete(tenant);
    });
  });
}

function excessOf(held: Held, bodyBytes: number, limits: UnderWayLimits): string | undefined {
  if (held.requests >= limits.requests)
    return `This tenant has ${limits.requests.toLocaleString('en')} requests under way`;
  // A single body is never refused for its size here.
  if (bodyBytes === 0 || held.bodyBytes === 0 || held.bodyBytes + bodyBytes <= limits.bodyBytes) return undefined;
  return `The requests of this tenant that are under way have bodies of ${limits.bodyBytes.toLocaleString('en')} bytes`;
}

/** Maximum size of a body that any route reads, in bytes, with the other parts of its form. */
const largestBody = 36 * 1024 * 1024;

/** Returns the number of bytes that are kept of a body, at most. */
function bytesKeptOf({ headers, routeOptions }: FastifyRequest): number {
  if (routeOptions.config.storesBody === true) return 0;
  if (headers['transfer-encoding'] === undefined) return Math.min(Number(headers['content-length'] ?? 0), largestBody);
  // Nobody knows how long it becomes.
  const isJson = headers['content-type']?.startsWith('application/json') === true;
  return isJson ? (routeOptions.bodyLimit ?? largestBody) : largestBody;
}
