import type { Recollection } from '@millrace/catalog';
import { recollectionText, textOfVector, vectorOfText } from '@millrace/catalog';
import type {
  Experience,
  Host,
  MemoryAccess,
  MemoryDefinition,
  MemoryUse,
  MemoryWrite,
  PlanStore,
  Recall,
} from '@millrace/core';
import { NodeError, ownedBy, runStoreIdentity, tenantOf } from '@millrace/core';
import type { Assignment } from '../assignment.ts';
import type { Crew } from '../crew.ts';
import { reveal } from './reveal.ts';
import type { Steps } from './step.ts';

interface Around {
  readonly assignment: Assignment;
  readonly steps: Steps;
  readonly signal: AbortSignal;
  /** Collects what is to be written when the activation completes. */
  readonly writes: MemoryWrite[];
}

/** Newest memories that are kept where a kind of store does not say. */
const defaultLimit = 1000;

/**
 * Reading and remembering are steps: what was read, and what embeddings were paid for, is the same on a later attempt.
 * Nothing is written before the activation completes, and then with the same commit.
 */
export function memoriesOver(crew: Crew, around: Around): Pick<Host, 'recall' | 'remember'> {
  const { steps, writes } = around;
  return {
    async recall(asked) {
      if (asked.uses.length === 0) return undefined;
      const text = await steps.take({
        name: `recall ${asked.stage}`,
        request: asked,
        action: async () => ({ value: await recall(crew, around, asked) }),
      });
      return text === '' ? undefined : text;
    },
    async remember(experience, stores) {
      const made = await steps.take<readonly MemoryWrite[]>({
        name: 'remember',
        request: { experience, stores },
        action: async () => ({ value: await remember(crew, around, { experience, stores }) }),
      });
      writes.push(...made);
    },
  };
}

async function recall(crew: Crew, around: Around, { uses, query, role }: Recall): Promise<string> {
  const found: Recollection[] = [];
  for (const use of uses) {
    const { store, definition, access } = opened(crew, around, use.store);
    const memories = await definition.recall(store.config, { text: query, role, ...limitsOf(use) }, access);
    found.push(...memories.map((memory) => ({ store: use.store, memory })));
  }
  return recollectionText(found, { query, now: crew.runs.now() });
}

const limitsOf = ({ topK, threshold }: MemoryUse): Pick<MemoryUse, 'topK' | 'threshold'> =>
  threshold === undefined ? { topK } : { topK, threshold };

async function remember(
  crew: Crew,
  around: Around,
  { experience, stores }: { readonly experience: Experience; readonly stores: readonly string[] },
): Promise<readonly MemoryWrite[]> {
  const writes: MemoryWrite[] = [];
  for (const name of stores) {
    const { store, identity, definition, access } = opened(crew, around, name);
    const memories = (await definition.remember?.(store.config, experience, access)) ?? [];
    const limit = definition.limit?.(store.config) ?? defaultLimit;
    writes.push(...memories.map((memory) => ({ store: identity, limit, memory })));
  }
  return writes;
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
  { assignment, signal }: Pick<Around, 'assignment' | 'signal'>,
  name: string,
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
  const access: MemoryAccess = {
    compat: plan.compat,
    scripted: plan.script !== undefined,
    signal,
    now,
    items: () => crew.memories.items(identity),
    fetch: crew.fetchFor(assignment.wake.run),
    reveal: (text) => reveal(text, crew.secret),
    vectors: async (keys) =>
      (await memories.vectors(keys)).map((text) => (text === undefined ? undefined : vectorOfText(text))),
    keepVectors: (vectors) =>
      memories.keepVectors(new Map([...vectors].map(([key, vector]) => [key, textOfVector(vector)]))),
  };
  return { store, identity, definition, access };
}

/** The id of a run says whose it is, so a store that lives as long as its run or call is told apart by that. */
function identityOf({ identity, lifetime }: PlanStore, { wake: { run }, frame }: Assignment): string {
  if (lifetime === undefined) return ownedBy(tenantOf(run), identity);
  return runStoreIdentity(lifetime === 'call' ? { run, frame, identity } : { run, identity });
}
