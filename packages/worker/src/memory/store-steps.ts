import { retryDelay, retryPolicyOf } from '@millrace/catalog';
import type { Usage } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { Steps } from '../context/steps.ts';
import type { Crew } from '../context/worker-context.ts';
import type { EmbeddingCall } from '../models/embedding.ts';
import { embeddingCall } from '../models/embedding.ts';
import type { FailedCall } from '../models/failed-call.ts';
import { factsOf, rest } from '../models/failed-call.ts';
import { KnownVectors, VectorsMissing } from './known-vectors.ts';
import type { Opened, OpenStores } from './open-store.ts';
import { opened } from './open-store.ts';

/*
 * Working with stores takes a step for each request that is made of a server for embeddings, and one if there is none:
 * so each request has its turn and is paid for. Until a store has its vectors, it is only tried what it asks for. What
 * stores have come to is kept with each step, so that the next one goes on behind it. A store that makes many requests
 * keeps what each came to as it comes, so that a crash has no more than one made again; those for the parts of one text
 * that is too long for one request are all made again.
 */

/** What is done with a list of stores, one after the other, until all have come to something. */
export interface StoreWork<T, R> {
  /** Of the steps. */
  readonly name: string;
  readonly request: unknown;
  readonly stores: readonly string[];
  /** What one of them comes to, as JSON. */
  work(store: Opened, at: number): Promise<T>;
  /** What all of them come to. */
  finish(done: readonly T[]): R;
}

/** What a step has come to: all of it, as much as could be done without further vectors, or a failure. */
type Progress<T, R> =
  | { readonly type: 'done'; readonly result: R }
  | { readonly type: 'more'; readonly done: readonly T[] }
  | { readonly type: 'failed'; readonly failed: FailedCall };

/** Works with stores, step by step. Throws a NodeError. */
export async function throughStores<T, R>(
  crew: Crew,
  around: OpenStores & { readonly steps: Steps },
  work: StoreWork<T, R>,
): Promise<R> {
  const known = new KnownVectors();
  const policy = retryPolicyOf(undefined);
  let done: readonly T[] = [];
  for (let attempt = 1; ; ) {
    const progress = await oneStep(crew, around, { ...work, known, done });
    if (progress.type === 'done') return progress.result;
    if (progress.type === 'more') {
      ({ done } = progress);
      attempt = 1;
      continue;
    }
    const { failed } = progress;
    const seconds = retryDelay(policy, { error: failed, attempt, random: Math.random() });
    if (seconds === undefined) throw new NodeError(failed.code, failed.message, { transient: failed.transient });
    known.forgive();
    attempt += 1;
    if (progress.remembered) continue;
    crew.log.warn({ attempt, seconds, code: failed.code }, 'a request for embeddings failed and is made again');
    await rest(crew, seconds * 1000, around.signal);
  }
}

interface Doing<T, R> extends StoreWork<T, R> {
  readonly known: KnownVectors;
  /** What the first stores have come to. */
  readonly done: readonly T[];
}

async function oneStep<T, R>(
  crew: Crew,
  around: OpenStores & { readonly steps: Steps },
  doing: Doing<T, R>,
): Promise<Progress<T, R> & { readonly remembered: boolean }> {
  let asking: Promise<Asking | undefined> | undefined;
  const asked = () => {
    asking ??= nextRequest(crew, around, doing);
    return asking;
  };
  let remembered = true;
  const progress = await around.steps.take<Progress<T, R>>({
    name: doing.name,
    request: doing.request,
    turn: async (who) => (await asked())?.call.turn(who),
    worst: async (budget) => (await asked())?.call.worst(budget),
    async action() {
      remembered = false;
      const paid = await make(await asked(), doing.known);
      try {
        return { value: await goOn(crew, around, doing), ...paid };
      } catch (error) {
        if (paid === undefined || !(error instanceof NodeError)) throw error;
        return { value: { type: 'failed', failed: factsOf(error) }, failed: true, ...paid };
      }
    },
  });
  return { ...progress, remembered };
}

interface Asking {
  readonly missing: VectorsMissing;
  readonly call: EmbeddingCall;
}

/** The request that the next store has to have made first; undefined when it can do without. */
async function nextRequest<T, R>(
  crew: Crew,
  around: OpenStores,
  { stores, done, known, work }: Doing<T, R>,
): Promise<Asking | undefined> {
  const name = stores[done.length];
  if (name === undefined) return undefined;
  const store = opened(crew, around, { name, known });
  if (!asksForVectors(store)) return undefined;
  const missing = await missingIn(() => work(store, done.length));
  if (missing === undefined) return undefined;
  const { assignment, signal } = around;
  const { plan, graph, node, wake } = assignment;
  const place = { run: wake.run, graph: graph.key, node: node?.id ?? '' };
  const fetch = crew.fetchFor(wake.run);
  return { missing, call: embeddingCall(crew, { plan, place, signal, fetch }, missing.request) };
}

const asksForVectors = ({ definition, store }: Opened): boolean => definition.embeds?.(store.config) === true;

async function missingIn(trying: () => Promise<unknown>): Promise<VectorsMissing | undefined> {
  try {
    await trying();
    return undefined;
  } catch (error) {
    if (error instanceof VectorsMissing) return error;
    throw error;
  }
}

/** Makes the request; what it has cost, or undefined when there was none to be made. */
async function make(
  asking: Asking | undefined,
  known: KnownVectors,
): Promise<{ readonly usage?: Usage; readonly free?: true } | undefined> {
  if (asking === undefined) return undefined;
  const came = await asking.call.make();
  known.learn(asking.missing.request, came.type === 'vectors' ? came.vectors : came.error);
  if (came.type === 'failed') return came.failed.free === undefined ? {} : { free: true };
  return came.usage === undefined ? {} : { usage: came.usage };
}

/** Works with one store after the other, as far as the vectors go that are known. */
async function goOn<T, R>(
  crew: Crew,
  around: OpenStores,
  { stores, known, work, finish, ...doing }: Doing<T, R>,
): Promise<Progress<T, R>> {
  const done = [...doing.done];
  for (const [at, name] of stores.entries()) {
    if (at < done.length) continue;
    const store = opened(crew, around, { name, known });
    try {
      done.push(await work(store, at));
    } catch (error) {
      if (!(error instanceof VectorsMissing) || !asksForVectors(store)) throw error;
      return { type: 'more', done };
    }
  }
  return { type: 'done', result: finish(done) };
}
