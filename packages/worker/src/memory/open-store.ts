import { textOfVector, vectorOfText } from '@millrace/catalog';
import type { MemoryContext, MemoryDefinition, PlanStore } from '@millrace/core';
import { NodeError, runStoreIdentity, tenantOf, withTenant } from '@millrace/core';
import type { ActivationContext } from '../context/activation-context.ts';
import { resolveSecrets } from '../context/secrets.ts';
import type { WorkerContext } from '../context/worker-context.ts';
import { VectorCache } from './known-vectors.ts';

/** The activation that opens a store. */
export interface StoreContext {
  readonly context: ActivationContext;
  readonly signal: AbortSignal;
}

/** A store, its kind, and the access to its memories. */
export interface OpenStore {
  readonly store: PlanStore;
  /** Name under which it is stored, unique to its tenant. */
  readonly identity: string;
  readonly definition: MemoryDefinition;
  readonly access: MemoryContext;
}

/** Opens a store of the node's graph. */
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
  // Texts of one tenant must not be compared with vectors from another tenant's server.
  const own = (key: string): string => withTenant(tenantOf(context.wake.run), key);
  const access = known.wrap({
    compat: plan.compat,
    scripted: plan.script !== undefined,
    signal,
    now,
    items: () => worker.memories.items(identity),
    embed: () => Promise.reject(new Error('requests for embeddings are steps of their own')),
    fetch: worker.fetchFor(context.wake.run),
    readable: (path) => worker.readableFiles(path, context.wake.run),
    resolveSecrets: (text) => resolveSecrets(text, worker.secret),
    cachedVectors: async (keys) =>
      (await memories.vectors(keys.map(own))).map((text) => (text === undefined ? undefined : vectorOfText(text))),
    cacheVectors: (vectors) =>
      memories.keepVectors(new Map([...vectors].map(([key, vector]) => [own(key), textOfVector(vector)]))),
  });
  return { store, identity, definition, access };
}

/** Returns the identity of a store. The id of a run names its tenant, so the run id is enough for a store that lives no longer. */
function identityOf(
  { identity, lifetime }: PlanStore,
  { wake: { run }, frame, hasOwnMemories }: ActivationContext,
): string {
  if (lifetime === undefined && !hasOwnMemories) return withTenant(tenantOf(run), identity);
  return runStoreIdentity(lifetime === 'call' ? { run, frame, identity } : { run, identity });
}
