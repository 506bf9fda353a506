import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { RequestError } from '@millrace/core';
import type { Registry } from '@millrace/runtime';
import canonicalize from 'canonicalize';
import { freshSeed } from './seed.ts';

/*
 * A request with an idempotency key is carried out once; whoever sends it again gets the answer of the first time. The
 * record of it, under tenant and key, is kept for a day:
 *
 *   under way   hash of the request and a seed; beside it a lease, which ends by itself when the process dies
 *   answered    the same, and the answer
 *
 * Only the holder of the lease carries the request out. After a crash somebody else gets the lease and carries it out again
 * with the seed of the first time, from which the id of a run is made, so that there is still one run. An answer with a
 * status of 500 or more, or 429, is not kept: the request may be sent again. A holder that took longer than the lease leaves
 * the lease of the next one alone; of two answers the first is kept.
 */

const keptForMs = 24 * 60 * 60 * 1000;
/** Longer than any request may wait. */
const leaseMs = 90_000;

/** Request that is carried out once for a key. */
export interface KeyedRequest {
  readonly tenant: string;
  readonly key: string;
  /** Hash of the request, as {@link hashOf} makes it. */
  readonly hash: string;
}

/** Answer as it is kept. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

interface Record {
  readonly hash: string;
  readonly seed: string;
  readonly answer?: KeptAnswer;
}

/** Request under way: its record, as text too, and the lease that it is carried out by. */
export interface HeldRequest {
  readonly name: string;
  readonly record: Record;
  readonly text: string;
  readonly lease: string;
}

/**
 * Carries work out once for a key, and returns its answer; a repeated request returns the answer of the first time. `work`
 * gets a seed for ids. Throws RequestError when the key stands for another request, or that one is still under way.
 */
export async function once(
  registry: Registry,
  request: KeyedRequest,
  work: (seed: string) => Promise<KeptAnswer>,
): Promise<KeptAnswer> {
  const held = await beginOnce(registry, request);
  if (held.record.answer !== undefined) return held.record.answer;
  try {
    const answer = await work(held.record.seed);
    if (isKept(answer.status)) await keepAnswer(registry, held, answer);
    return answer;
  } finally {
    await release(registry, held);
  }
}

/** Returns whether an answer is final: an answer that may be another one soon is not kept. */
export const isKept = (status: number): boolean => status < 500 && status !== 429;

/** Returns a hash that is the same for the same request, in whatever order its body names things. */
export function hashOf(request: {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
  /** Digest of the part of the body that is more than JSON. */
  readonly known?: string;
}): string {
  try {
    return digest(canonicalize(request) ?? '');
  } catch {
    // Halves of characters, and numbers that are too large, have no canonical form.
    return digest(JSON.stringify(request));
  }
}

/** Returns the SHA-256 of a text or of bytes, in hex. */
export const digest = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

const leaseOf = (name: string): string => `${name}/lease`;

/** Rests between looks for the answer of another request with the same key, in milliseconds. */
const delaysMs = [25, 50, 100, 200, 400, 800] as const;

/**
 * Begins a request, or finds the record of the one that was sent before. While the first one is under way, its answer is
 * waited for. Throws RequestError when the key stands for another request, or that takes long.
 */
export async function beginOnce(registry: Registry, { tenant, key, hash }: KeyedRequest): Promise<HeldRequest> {
  const name = `replay/${tenant}/${digest(key)}`;
  const fresh = JSON.stringify({ hash, seed: freshSeed() } satisfies Record);
  const lease = randomUUID();
  const known = (await registry.hold(name, fresh, keptForMs)) ?? fresh;
  if (recordOf(known, hash).answer !== undefined) return heldBy(name, known, lease);
  for (const delayMs of [...delaysMs, undefined]) {
    // In this order: the holder of the lease keeps the answer before it lets go.
    const [other, [text = known]] = await Promise.all([
      registry.hold(leaseOf(name), lease, leaseMs),
      registry.held([name]),
    ]);
    const isMine = other === undefined;
    const { answer } = recordOf(text, hash);
    if (isMine && answer !== undefined) await registry.swap(leaseOf(name), { before: lease });
    if (isMine || answer !== undefined) return heldBy(name, text, lease);
    if (delayMs !== undefined) await pause(delayMs);
  }
  throw new RequestError('IDEMPOTENCY_IN_FLIGHT', 'The first request with this idempotency key is still under way.');
}

const heldBy = (name: string, text: string, lease: string): HeldRequest => ({
  name,
  record: JSON.parse(text),
  text,
  lease,
});

function recordOf(text: string, hash: string): Record {
  const record: Record = JSON.parse(text); // written by `beginOnce` and `keepAnswer`
  if (record.hash === hash) return record;
  throw new RequestError('IDEMPOTENCY_MISMATCH', 'This idempotency key was used for another request. Use a new one.');
}

/** Keeps the answer of a request, unless another one was kept before. */
export async function keepAnswer(
  registry: Registry,
  { name, record, text }: HeldRequest,
  answer: KeptAnswer,
): Promise<void> {
  const after = { text: JSON.stringify({ ...record, answer }), forMs: keptForMs };
  await registry.swap(name, { before: text, after });
}

/** Gives the lease of a request back. */
export const release = (registry: Registry, { name, lease }: HeldRequest): Promise<unknown> =>
  registry.swap(leaseOf(name), { before: lease });

const refusals = {
  never:
    'The response to this request is not stored, so it cannot be repeated. Send the request without an idempotency key.',
  needless: 'A file that is uploaded takes no idempotency key: sent again, it is the same file.',
} as const;

/** Throws RequestError for a key that is none, or that a request of this kind does not take. */
export function assertKey(key: unknown, unsupported: keyof typeof refusals | undefined): asserts key is string {
  if (unsupported !== undefined) throw new RequestError('IDEMPOTENCY_UNSUPPORTED', refusals[unsupported]);
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return;
  throw new RequestError('IDEMPOTENCY_KEY_INVALID', 'An idempotency key has 1 to 255 visible ASCII characters.');
}
