import { canRead } from '@millrace/api';
import { omitUndefined } from '@millrace/core';
import type { Outages, Store } from '@millrace/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PendingRequest, StoredResponse } from '../context/idempotency-record.ts';
import { assertKey, beginRequest, hashOf, isStorable, release, storeResponse } from '../context/idempotency-record.ts';
import { changesSomething } from './idempotent-routes.ts';
import type { Server } from './server.ts';

const replayedHeaders = ['content-type', 'location', 'etag'] as const;

declare module 'fastify' {
  interface FastifyRequest {
    /** Seed for ids, equal for all requests with the same idempotency key; absent without a key. */
    seed?: string;
    /** Digest of a body that is not JSON. */
    digest?: string;
  }
}

/** Adds idempotency keys to all requests that change something. */
export function addIdempotency(
  server: Server,
  { registry }: Pick<Store, 'registry'>,
  outages: Outages | undefined,
): void {
  const held = new WeakMap<FastifyRequest, PendingRequest>();
  server.decorateRequest('seed', undefined);
  server.decorateRequest('digest');
  server.addHook('preHandler', async (request, reply) => {
    const key = keyOf(request);
    if (key === undefined) return undefined;
    const { tenant } = request.caller.tenant;
    const beginning = () => beginRequest(registry, { tenant, key, hash: hashIn(request) });
    const begun = await (outages?.bounded('writes', beginning) ?? beginning());
    if (begun.record.answer !== undefined) return replayed(reply, begun.record.answer);
    held.set(request, begun);
    request.seed = begun.record.seed;
    reply.header('idempotent-replayed', 'false');
    return undefined;
  });
  server.addHook('onSend', async (request, reply, payload) => {
    const mine = held.get(request);
    if (mine === undefined) return;
    held.delete(request);
    if (isStorable(reply.statusCode)) await storeResponse(registry, mine, answerOf(reply, payload));
    const ended = release(registry, mine);
    // During an outage of Redis, the response does not wait for its end.
    if (reply.statusCode === 503) ended.catch(() => undefined);
    else await ended;
  });
}

function keyOf({ headers, method, routeOptions, is404 }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  const { config } = routeOptions;
  if (key === undefined || is404 || !changesSomething(method, config)) return undefined;
  assertKey(key, config.replay);
  return key;
}

/** Returns the hash of a request. A response for a key that may read is not one for a key that may not. */
const hashIn = ({ method, url, body, digest: known, caller }: FastifyRequest): string =>
  hashOf(omitUndefined({ method, url, body: body ?? null, known, reads: canRead(caller) }));

async function replayed(reply: FastifyReply, { status, headers, body }: StoredResponse): Promise<unknown> {
  // The stored response is sent unchanged, without another check by the route's schema.
  return reply
    .code(status)
    .headers({ ...headers, 'idempotent-replayed': 'true' })
    .serializer(String)
    .send(body);
}

function answerOf(reply: FastifyReply, payload: unknown): StoredResponse {
  const headers = Object.fromEntries(
    replayedHeaders.flatMap((header) => {
      const value = reply.getHeader(header);
      return value === undefined ? [] : [[header, String(value)]];
    }),
  );
  return { status: reply.statusCode, headers, body: typeof payload === 'string' ? payload : '' };
}
