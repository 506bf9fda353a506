import { retryDelaySeconds, retryPolicyOf } from '@millrace/catalog';
import type { Sleep, Usage } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { Steps } from '../context/steps.ts';
import type { WorkerContext } from '../context/worker-context.ts';
import type { EmbeddingCall } from '../models/embedding.ts';
import { embeddingCall } from '../models/embedding.ts';
import type { FailedModelCall } from '../models/failed-call.ts';
import { failedModelCallOf, waitBeforeRetry } from '../models/failed-call.ts';
import { MissingVectors, VectorCache } from './known-vectors.ts';
import type { OpenStore, StoreContext } from './open-store.ts';
import { openStore } from './open-store.ts';

/*
 * Working with stores takes a step for each request that is made of a server for embeddings, and one if there is none:
 * so each request waits for its slot and is paid for. Until a store has its vectors, it is only probed for what it requests.
 * Results of stores are stored with each step, and the next step continues after them. A store that makes many requests
 * stores each result as it comes, so that a crash repeats at most one; the requests for the parts of one text that is too
 * long for one request are all made again.
 */

/** What an operation on stores uses of its activation. */
export interface MemoryAccessContext extends StoreContext {
  readonly steps: Steps;
  /** Waits between two requests. */
  readonly sleep: Sleep;
}

/** An operation on a list of stores, one after the other, until all have a result. */
export interface StoreOperation<T, R> {
  /** Name of the steps. */
  readonly name: string;
  readonly request: unknown;
  readonly stores: readonly string[];
  /** Returns the result of one store, as JSON. */
  work(store: OpenStore, at: number): Promise<T>;
  /** Returns the result of the operation. */
  finish(done: readonly T[]): R;
}

/** Result of a step: all of the operation, the part that needs no further vectors, or a failure. */
type Progress<T, R> =
  | { readonly type: 'done'; readonly result: R }
  | { readonly type: 'more'; readonly done: readonly T[] }
  | { readonly type: 'failed'; readonly failed: FailedModelCall };

/** Runs an operation on stores, step by step. Throws a NodeError. */
export async function runStoreOperation<T, R>(
  worker: WorkerContext,
  callContext: MemoryAccessContext,
  work: StoreOperation<T, R>,
): Promise<R> {
  const known = new VectorCache();
  const policy = retryPolicyOf(undefined);
  let done: readonly T[] = [];
  for (let attempt = 1; ; ) {
    const progress = await oneStep(worker, callContext, { ...work, known, done });
    if (progress.type === 'done') return progress.result;
    if (progress.type === 'more') {
      ({ done } = progress);
      attempt = 1;
      continue;
    }
    const { failed } = progress;
    const seconds = retryDelaySeconds(policy, { error: failed, attempt, random: Math.random() });
    if (seconds === undefined) throw new NodeError(failed.code, failed.message, { transient: failed.transient });
    known.forgetFailures();
    attempt += 1;
    if (progress.remembered) continue;
    worker.log.warn({ attempt, seconds, code: failed.code }, 'a request for embeddings failed and is retried');
    await waitBeforeRetry(worker, seconds * 1000, callContext);
  }
}

interface StoreStep<T, R> extends StoreOperation<T, R> {
  readonly known: VectorCache;
  /** Results of the first stores. */
  readonly done: readonly T[];
}

async function oneStep<T, R>(
  worker: WorkerContext,
  callContext: MemoryAccessContext,
  doing: StoreStep<T, R>,
): Promise<Progress<T, R> & { readonly remembered: boolean }> {
  let pendingRequest: Promise<VectorRequest | undefined> | undefined;
  const asked = () => {
    pendingRequest ??= nextRequest(worker, callContext, doing);
    return pendingRequest;
  };
  let remembered = true;
  const progress = await callContext.steps.run<Progress<T, R>>({
    name: doing.name,
    request: doing.request,
    effect: 'none',
    acquireSlot: async (callKey) => (await asked())?.call.acquireSlot(callKey),
    worstCase: async (budget) => (await asked())?.call.worstCase(budget),
    async action() {
      remembered = false;
      const paid = await make(await asked(), doing.known);
      try {
        return { value: await goOn(worker, callContext, doing), ...paid };
      } catch (error) {
        if (paid === undefined || !(error instanceof NodeError)) throw error;
        return { value: { type: 'failed', failed: failedModelCallOf(error) }, failed: true, ...paid };
      }
    },
  });
  return { ...progress, remembered };
}

interface VectorRequest {
  readonly missing: MissingVectors;
  readonly call: EmbeddingCall;
}

/** Returns the request that the next store depends on; undefined when it needs none. */
async function nextRequest<T, R>(
  worker: WorkerContext,
  callContext: MemoryAccessContext,
  { stores, done, known, work }: StoreStep<T, R>,
): Promise<VectorRequest | undefined> {
  const name = stores[done.length];
  if (name === undefined) return undefined;
  const store = openStore(worker, callContext, { name, known });
  if (!asksForVectors(store)) return undefined;
  const missing = await missingIn(() => work(store, done.length));
  if (missing === undefined) return undefined;
  const { context, signal, sleep } = callContext;
  const { plan, graph, node, wake } = context;
  const place = { run: wake.run, graph: graph.key, node: node?.id ?? '' };
  const fetch = worker.fetchFor(wake.run);
  return { missing, call: embeddingCall(worker, { plan, place, signal, sleep, fetch }, missing.request) };
}

const asksForVectors = ({ definition, store }: OpenStore): boolean => definition.embeds?.(store.config) === true;

async function missingIn(trying: () => Promise<unknown>): Promise<MissingVectors | undefined> {
  try {
    await trying();
    return undefined;
  } catch (error) {
    if (error instanceof MissingVectors) return error;
    throw error;
  }
}

/** Makes the request and returns its cost; undefined when there was none to be made. */
async function make(
  pendingRequest: VectorRequest | undefined,
  known: VectorCache,
): Promise<{ readonly usage?: Usage; readonly model?: string; readonly free?: true } | undefined> {
  if (pendingRequest === undefined) return undefined;
  const came = await pendingRequest.call.send();
  known.add(pendingRequest.missing.request, came.type === 'vectors' ? came.vectors : came.error);
  if (came.type === 'failed') return came.failed.free === undefined ? {} : { free: true };
  return came.usage === undefined ? {} : { usage: came.usage, model: came.model };
}

/** Runs the operation on one store after the other, as far as the known vectors suffice. */
async function goOn<T, R>(
  worker: WorkerContext,
  callContext: StoreContext,
  { stores, known, work, finish, ...doing }: StoreStep<T, R>,
): Promise<Progress<T, R>> {
  const done = [...doing.done];
  for (const [at, name] of stores.entries()) {
    if (at < done.length) continue;
    const store = openStore(worker, callContext, { name, known });
    try {
      done.push(await work(store, at));
    } catch (error) {
      if (!(error instanceof MissingVectors) || !asksForVectors(store)) throw error;
      return { type: 'more', done };
    }
  }
  return { type: 'done', result: finish(done) };
}
