import type { RecalledMemory } from '@millrace/catalog';
import { recalledMemoriesText } from '@millrace/catalog';
import type { MemoryInteraction, MemoryUse, MemoryWrite, RecallRequest } from '@millrace/core';
import type { WorkerContext } from '../context/worker-context.ts';
import type { MemoryAccessContext } from './store-steps.ts';
import { runStoreOperation } from './store-steps.ts';

/** Number of newest memories that are kept where a kind of store names none. */
const defaultLimit = 1000;

/*
 * Reading and remembering are steps: what was read, and what embeddings were paid for, is the same on a later attempt.
 * Nothing is written before the activation completes, and then with the same commit.
 */

/** Returns the memories that fit a request, as text; undefined when there are none. */
export async function recall(
  worker: WorkerContext,
  callContext: MemoryAccessContext,
  asked: RecallRequest,
): Promise<string | undefined> {
  if (asked.uses.length === 0) return undefined;
  const text = await readStores(worker, callContext, asked);
  return text === '' ? undefined : text;
}

function readStores(worker: WorkerContext, callContext: MemoryAccessContext, asked: RecallRequest): Promise<string> {
  const { uses, query, role, stage } = asked;
  return runStoreOperation<readonly RecalledMemory[], string>(worker, callContext, {
    name: `recall ${stage}`,
    request: asked,
    stores: uses.map(({ store }) => store),
    async work({ store, definition, access }, at) {
      const use = uses[at];
      if (use === undefined) return [];
      const found = await definition.recall(store.config, { text: query, role, ...limitsOf(use) }, access);
      // Without vectors, as it is kept until all stores have been read.
      return found.map(({ text, at: since }) => ({ store: use.store, memory: { text, at: since } }));
    },
    finish: (found) => recalledMemoriesText(found.flat(), { query, now: worker.runs.now() }),
  });
}

const limitsOf = ({ topK, threshold }: MemoryUse): Pick<MemoryUse, 'topK' | 'threshold'> =>
  threshold === undefined ? { topK } : { topK, threshold };

/** Returns the memories that stores make of an experience, to be written with the settlement. */
export function remember(
  worker: WorkerContext,
  callContext: MemoryAccessContext,
  asked: { readonly experience: MemoryInteraction; readonly stores: readonly string[] },
): Promise<readonly MemoryWrite[]> {
  return runStoreOperation<readonly MemoryWrite[], readonly MemoryWrite[]>(worker, callContext, {
    name: 'remember',
    request: asked,
    stores: asked.stores,
    async work({ store, identity, definition, access }) {
      const memories = (await definition.remember?.(store.config, asked.experience, access)) ?? [];
      const limit = definition.limit?.(store.config) ?? defaultLimit;
      return memories.map((memory) => ({ store: identity, limit, memory }));
    },
    finish: (writes) => writes.flat(),
  });
}
