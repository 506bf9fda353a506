import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { RequestError } from '@millrace/core';
import type { Registry } from '@millrace/runtime';
import canonicalize from 'canonicalize';
import { newSeed } from './seed.ts';

/*
 * A request with an idempotency key is executed once; a repeated request returns the response of the first execution. The
 * record of the request, by tenant and key, is stored for a day:
 *
 *   in progress   hash of the request and a seed; beside it a lease, which expires if the process dies
 *   answered      the same, and the response
 *
 * Only the holder of the lease executes the request. After a crash, another process gets the lease and executes the request
 * again with the same seed, from which the id of a run derives, so there is still one run. A response with a status of 500
 * or more, or 429, is not stored: the request may be sent again. A holder whose lease has expired does not touch the lease
 * of the next one; of two responses, the first is stored.
 */

const keptForMs = 24 * 60 * 60 * 1000;
/** Duration of a lease: longer than any request may wait. */
const leaseMs = 90_000;

/** Request that is executed once for a key. */
export interface KeyedRequest {
  readonly tenant: string;
  readonly key: string;
  /** Hash of the request by {@link hashOf}. */
  readonly hash: string;
}

/** Stored response. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

interface Record {
  readonly hash: string;
  readonly seed: string;
  readonly answer?: StoredResponse;
}

/** Request in progress: its record, also as stored, and its lease. */
export interface PendingRequest {
  readonly name: string;
  readonly record: Record;
  readonly text: string;
  readonly lease: string;
}

/**
 * Executes work once for a key and returns its response; a repeated request returns the response of the first execution.
 * `work` gets a seed for ids. Throws RequestError if the key belongs to another request, or that request is still in progress.
 */
export async function executeOnce(
  registry: Registry,
  request: KeyedRequest,
  work: (seed: string) => Promise<StoredResponse>,
): Promise<StoredResponse> {
  const held = await beginRequest(registry, request);
  if (held.record.answer !== undefined) return held.record.answer;
  try {
    const answer = await work(held.record.seed);
    if (isStorable(answer.status)) await storeResponse(registry, held, answer);
    return answer;
  } finally {
    await release(registry, held);
  }
}

/** Tests if a response is final and may be stored, by its status. */
export const isStorable = (status: number): boolean => status < 500 && status !== 429;

/** Returns a hash of a request, independent of the order of the properties in its body. */
export function hashOf(request: {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
  /** Digest of the part of the body that is not JSON. */
  readonly known?: string;
  /** The caller may read the contents of runs. */
  readonly reads: boolean;
}): string {
  try {
    return digest(canonicalize(request) ?? '');
  } catch {
    // Lone surrogates and numbers that are too large have no canonical form.
    return digest(JSON.stringify(request));
  }
}

/** Returns the SHA-256 of a text or of bytes, in hex. */
export const digest = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

const leaseOf = (name: string): string => `${name}/lease`;

/** Delays between checks for the response of another request with the same key, in milliseconds. */
const delaysMs = [25, 50, 100, 200, 400, 800] as const;

/**
 * Begins a request, or returns the record of an earlier one with the same key. Waits for the response of an earlier request
 * in progress. Throws RequestError if the key belongs to another request, or if the response takes too long.
 */
export async function beginRequest(registry: Registry, { tenant, key, hash }: KeyedRequest): Promise<PendingRequest> {
  const name = `replay/${tenant}/${digest(key)}`;
  const fresh = JSON.stringify({ hash, seed: newSeed() } satisfies Record);
  const lease = randomUUID();
  const known = (await registry.hold(name, fresh, keptForMs)) ?? fresh;
  if (recordOf(known, hash).answer !== undefined) return heldBy(name, known, lease);
  for (const delayMs of [...delaysMs, undefined]) {
    // In this order: the holder stores the response before it releases the lease.
    const [other, [text = known]] = await Promise.all([
      registry.hold(leaseOf(name), lease, leaseMs),
      registry.held([name]),
    ]);
    const isMine = other === undefined;
    const { answer } = recordOf(text, hash);
    if (isMine && answer !== undefined) await registry.swap(leaseOf(name), { before: lease });
    if (isMine || answer !== undefined) return heldBy(name, text, lease);
    if (delayMs !== undefined) await sleep(delayMs);
  }
  throw new RequestError('IDEMPOTENCY_IN_FLIGHT', 'The first request with this idempotency key is still under way.');
}

const heldBy = (name: string, text: string, lease: string): PendingRequest => ({
  name,
  record: JSON.parse(text),
  text,
  lease,
});

function recordOf(text: string, hash: string): Record {
  const record: Record = JSON.parse(text); // written by `beginRequest` and `storeResponse`
  if (record.hash === hash) return record;
  throw new RequestError('IDEMPOTENCY_MISMATCH', 'This idempotency key was used for another request. Use a new one.');
}

/** Stores the response of a request unless another one has been stored. */
export async function storeResponse(
  registry: Registry,
  { name, record, text }: PendingRequest,
  answer: StoredResponse,
): Promise<void> {
  const after = { text: JSON.stringify({ ...record, answer }), forMs: keptForMs };
  await registry.swap(name, { before: text, after });
}

/** Releases the lease of a request. */
export const release = (registry: Registry, { name, lease }: PendingRequest): Promise<unknown> =>
  registry.swap(leaseOf(name), { before: lease });

const refusals = {
  never:
    'The response to this request is not stored, so it cannot be repeated. Send the request without an idempotency key.',
  needless: 'A file that is uploaded takes no idempotency key: sent again, it is the same file.',
} as const;

/** Throws RequestError for an invalid key, or for a request that accepts no key. */
export function assertKey(key: unknown, unsupported: keyof typeof refusals | undefined): asserts key is string {
  if (unsupported !== undefined) throw new RequestError('IDEMPOTENCY_UNSUPPORTED', refusals[unsupported]);
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return;
  throw new RequestError('IDEMPOTENCY_KEY_INVALID', 'An idempotency key has 1 to 255 visible ASCII characters.');
}
