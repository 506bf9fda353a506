import { textOfVector, vectorOfText } from '@millrace/catalog';
import type { MemoryAccess, MemoryDefinition, PlanStore } from '@millrace/core';
import { NodeError, ownedBy, runStoreIdentity, tenantOf } from '@millrace/core';
import type { Assignment } from '../context/activation-context.ts';
import { reveal } from '../context/reveal-secrets.ts';
import type { Crew } from '../context/worker-context.ts';
import { KnownVectors } from './known-vectors.ts';

/** What stores are opened for. */
export interface OpenStores {
  readonly assignment: Assignment;
  readonly signal: AbortSignal;
}

/** A store, its kind, and the way to what it holds. */
export interface Opened {
  readonly store: PlanStore;
  /** Where it is kept: stores of one tenant are never those of another. */
  readonly identity: string;
  readonly definition: MemoryDefinition;
  readonly access: MemoryAccess;
}

/** A store of the node's graph, with what works on it. */
export function opened(
  crew: Crew,
  { assignment, signal }: OpenStores,
  { name, known = new KnownVectors() }: { readonly name: string; readonly known?: KnownVectors },
): Opened {
  const { graph, plan } = assignment;
  const store = graph.memory.get(name);
  if (store === undefined) throw new NodeError('PLAN_INVALID', `The plan has no memory store "${name}".`);
  const definition = crew.vocabulary.memories.get(store.type);
  if (definition === undefined) {
    throw new NodeError('PLAN_INVALID', `This worker does not know the memory store type "${store.type}".`);
  }
  const { memories, now } = crew.runs;
  const identity = identityOf(store, assignment);
  // What one tenant's server says must not be what another one's texts are compared with.
  const own = (key: string): string => ownedBy(tenantOf(assignment.wake.run), key);
  const access = known.over({
    compat: plan.compat,
    scripted: plan.script !== undefined,
    signal,
    now,
    items: () => crew.memories.items(identity),
    embed: () => Promise.reject(new Error('requests for embeddings are steps of their own')),
    fetch: crew.fetchFor(assignment.wake.run),
    reveal: (text) => reveal(text, crew.secret),
    vectors: async (keys) =>
      (await memories.vectors(keys.map(own))).map((text) => (text === undefined ? undefined : vectorOfText(text))),
    keepVectors: (vectors) =>
      memories.keepVectors(new Map([...vectors].map(([key, vector]) => [own(key), textOfVector(vector)]))),
  });
  return { store, identity, definition, access };
}

/** The id of a run says whose it is, so a store that lives as long as its run or call is told apart by that. */
function identityOf({ identity, lifetime }: PlanStore, { wake: { run }, frame }: Assignment): string {
  if (lifetime === undefined) return ownedBy(tenantOf(run), identity);
  return runStoreIdentity(lifetime === 'call' ? { run, frame, identity } : { run, identity });
}
