import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { RequestError } from '@millrace/core';
import type { Registry, Runtime } from '@millrace/runtime';
import canonicalize from 'canonicalize';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { freshSeed } from '../context/seed.ts';
import type { Server } from './server.ts';
import { changesSomething } from './takes-keys.ts';

/*
 * A request with an `Idempotency-Key` is carried out once; whoever sends it again gets the answer of the first time.
 * What is kept of it, under tenant and key, for a day:
 *
 *   under way   hash of the request and a seed; beside it a lease, which ends by itself when the process dies
 *   answered    the same, and the answer
 *
 * Only who holds the lease carries the request out. After a crash somebody else gets the lease and carries it out again
 * with the seed of the first time, from which the id of a run is made, so that there is still one run. An answer with a
 * status of 500 or more, or 429, is not kept: the request may be sent again. Who took longer than the lease leaves the
 * lease of the next one alone; of two answers the first is kept.
 */

const keptForMs = 24 * 60 * 60 * 1000;
/** Longer than any request may wait. */
const leaseMs = 90_000;
const replayedHeaders = ['content-type', 'location', 'etag'] as const;

interface Record {
  /** Of method, address and body. */
  readonly hash: string;
  readonly seed: string;
  readonly answer?: {
    readonly status: number;
    readonly headers: { readonly [name: string]: string };
    readonly body: string;
  };
}

/** A request under way: what is kept under its name, as text too, and the lease that it is carried out by. */
interface Held {
  readonly name: string;
  readonly record: Record;
  readonly text: string;
  readonly lease: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The same whenever this request is sent again under its idempotency key; absent without one. */
    seed?: string;
    /** Tells what came apart from others where the body is more than JSON. */
    digest?: string;
  }
}

/** Gives all requests that change something idempotency keys. */
export function addIdempotency(
  server: Server,
  { store: { registry }, outages }: Pick<Runtime, 'store'> & Partial<Pick<Runtime, 'outages'>>,
): void {
  const held = new WeakMap<FastifyRequest, Held>();
  server.decorateRequest('seed', undefined);
  server.decorateRequest('digest');
  server.addHook('preHandler', async (request, reply) => {
    const key = keyOf(request);
    if (key === undefined) return undefined;
    const name = `replay/${request.caller.tenant.tenant}/${digest(key)}`;
    const beginning = () => begin(registry, name, hashOf(request));
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
    if (reply.statusCode < 500 && reply.statusCode !== 429) await keep(registry, mine, { reply, payload });
    const ended = registry.swap(leaseOf(mine.name), { before: mine.lease });
    // During an outage of Redis the answer does not wait for its end.
    if (reply.statusCode === 503) ended.catch(() => undefined);
    else await ended;
  });
}

const refusals = {
  never: 'What this answers is kept nowhere, so it cannot be answered again. Send it without an idempotency key.',
  needless: 'A file that is uploaded takes no idempotency key: sent again, it is the same file.',
} as const;

function keyOf({ headers, method, routeOptions, is404 }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  const { config } = routeOptions;
  if (key === undefined || is404 || !changesSomething(method, config)) return undefined;
  if (config.replay !== undefined) throw new RequestError('IDEMPOTENCY_UNSUPPORTED', refusals[config.replay]);
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new RequestError('IDEMPOTENCY_KEY_INVALID', 'An idempotency key has 1 to 255 visible ASCII characters.');
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The same for the same request, in whatever order its body names things. */
function hashOf({ method, url, body, digest: known }: FastifyRequest): string {
  const request = { method, url, body: body ?? null, ...(known === undefined ? {} : { known }) };
  try {
    return digest(canonicalize(request) ?? '');
  } catch {
    // Halves of characters, and numbers that are too large, have no canonical form.
    return digest(JSON.stringify(request));
  }
}

const leaseOf = (name: string): string => `${name}/lease`;

/** How long a request waits for the answer of another one with its key: each rest is twice as long as the one before. */
const restsMs = [25, 50, 100, 200, 400, 800] as const;

/**
 * What there is of a request that was sent before, or the beginning of it. While the first one is under way, its answer
 * is waited for. Throws RequestError when the key stands for another request, or that takes long.
 */
async function begin(registry: Registry, name: string, hash: string): Promise<Held> {
  const fresh = JSON.stringify({ hash, seed: freshSeed() } satisfies Record);
  const lease = randomUUID();
  const known = (await registry.hold(name, fresh, keptForMs)) ?? fresh;
  if (recordOf(known, hash).answer !== undefined) return heldBy(name, known, lease);
  for (const restMs of [...restsMs, undefined]) {
    // In this order: who has held the lease keeps the answer before it lets go.
    const [other, [text = known]] = await Promise.all([
      registry.hold(leaseOf(name), lease, leaseMs),
      registry.held([name]),
    ]);
    const isMine = other === undefined;
    const { answer } = recordOf(text, hash);
    if (isMine && answer !== undefined) await registry.swap(leaseOf(name), { before: lease });
    if (isMine || answer !== undefined) return heldBy(name, text, lease);
    if (restMs !== undefined) await pause(restMs);
  }
  throw new RequestError('IDEMPOTENCY_IN_FLIGHT', 'The first request with this idempotency key is still under way.');
}

const heldBy = (name: string, text: string, lease: string): Held => ({ name, record: JSON.parse(text), text, lease });

function recordOf(text: string, hash: string): Record {
  const record: Record = JSON.parse(text); // written by `begin` and `keep`
  if (record.hash === hash) return record;
  throw new RequestError('IDEMPOTENCY_MISMATCH', 'This idempotency key was used for another request. Use a new one.');
}

async function replayed(
  reply: FastifyReply,
  { status, headers, body }: NonNullable<Record['answer']>,
): Promise<unknown> {
  // The answer stands as it was; it is not to be checked against the route's schema again.
  return reply
    .code(status)
    .headers({ ...headers, 'idempotent-replayed': 'true' })
    .serializer(String)
    .send(body);
}

async function keep(
  registry: Registry,
  { name, record, text }: Held,
  { reply, payload }: { readonly reply: FastifyReply; readonly payload: unknown },
): Promise<void> {
  const headers = Object.fromEntries(
    replayedHeaders.flatMap((header) => {
      const value = reply.getHeader(header);
      return value === undefined ? [] : [[header, String(value)]];
    }),
  );
  const answer = { status: reply.statusCode, headers, body: typeof payload === 'string' ? payload : '' };
  const after = { text: JSON.stringify({ ...record, answer }), forMs: keptForMs };
  await registry.swap(name, { before: text, after });
}
