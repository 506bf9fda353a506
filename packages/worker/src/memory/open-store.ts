import { textOfVector, vectorOfText } from '@millrace/catalog';
import type { MemoryContext, MemoryDefinition, PlanStore } from '@millrace/core';
import { NodeError, runStoreIdentity, tenantOf, withTenant } from '@millrace/core';
import type { ActivationContext } from '../context/activation-context.ts';
import { resolveSecrets } from '../context/reveal-secrets.ts';
import type { WorkerContext } from '../context/worker-context.ts';
import { VectorCache } from './known-vectors.ts';

/** What stores are opened for. */
export interface StoreContext {
  readonly context: ActivationContext;
  readonly signal: AbortSignal;
}

/** A store, its kind, and the way to what it holds. */
export interface OpenStore {
  readonly store: PlanStore;
  /** Where it is kept: stores of one tenant are never those of another. */
  readonly identity: string;
  readonly definition: MemoryDefinition;
  readonly access: MemoryContext;
}

/** A store of the node's graph, with what works on it. */
export function openStore(
  worker: WorkerContext,
  { context, signal }: StoreContext,
  { name, known = new VectorCache() }: { readonly name: string; readonly known?: VectorCache },
): OpenStore {
  const { graph, plan } = context;
  const store = graph.memory.get(name);
  if (store === undefined) throw new NodeError('PLAN_INVALID', `The plan has no memory store "${name}".`);
  const definition = worker.vocabulary.memories.get(store.type);
  if (definition === undefined) {
    throw new NodeError('PLAN_INVALID', `This worker does not know the memory store type "${store.type}".`);
  }
  const { memories, now } = worker.runs;
  const identity = identityOf(store, context);
  // What one tenant's server says must not be what another one's texts are compared with.
  const own = (key: string): string => withTenant(tenantOf(context.wake.run), key);
  const access = known.wrap({
    compat: plan.compat,
    scripted: plan.script !== undefined,
    signal,
    now,
    items: () => worker.memories.items(identity),
    embed: () => Promise.reject(new Error('requests for embeddings are steps of their own')),
    fetch: worker.fetchFor(context.wake.run),
    resolveSecrets: (text) => resolveSecrets(text, worker.secret),
    cachedVectors: async (keys) =>
      (await memories.vectors(keys.map(own))).map((text) => (text === undefined ? undefined : vectorOfText(text))),
    cacheVectors: (vectors) =>
      memories.keepVectors(new Map([...vectors].map(([key, vector]) => [own(key), textOfVector(vector)]))),
  });
  return { store, identity, definition, access };
}

/** The id of a run says whose it is, so a store that lives as long as its run or call is told apart by that. */
function identityOf({ identity, lifetime }: PlanStore, { wake: { run }, frame }: ActivationContext): string {
  if (lifetime === undefined) return withTenant(tenantOf(run), identity);
  return runStoreIdentity(lifetime === 'call' ? { run, frame, identity } : { run, identity });
}
