import type { Memory, MemoryContext, StoredMemory } from '@millrace/core';
import { requestVectors } from '../../../packages/catalog/src/embeddings/request-vectors.ts';
import { vectorOfText } from '../../../packages/catalog/src/embeddings/vector.ts';

/** A memory store that holds what a test puts into it. */
export interface FakeMemoryAccess extends MemoryContext {
  /** Adds memories as if they had been committed. */
  hold(memories: readonly Memory[]): void;
}

/** A store without a Redis, in a run that is neither scripted nor like the original engine's unless a test says so. */
export function fakeMemoryAccess(given: Partial<MemoryContext> = {}): FakeMemoryAccess {
  const items: StoredMemory[] = [];
  const vectors = new Map<string, Float32Array>();
  let time = 1_000_000;
  const { signal = new AbortController().signal, resolveSecrets: reveal = (text) => text } = given;
  return {
    compat: false,
    scripted: false,
    signal,
    now: () => time++,
    items: async () => items,
    fetch,
    readable: async (path) => path,
    resolveSecrets: reveal,
    async embed({ apiKey, ...request }) {
      const key = apiKey === undefined ? {} : { apiKey: reveal(apiKey) };
      return (await requestVectors({ ...request, ...key }, { signal, fetch })).vectors;
    },
    cachedVectors: async (keys) => keys.map((key) => vectors.get(key)),
    async cacheVectors(kept) {
      for (const [key, vector] of kept) vectors.set(key, vector);
    },
    ...given,
    hold(memories) {
      for (const { embedding, ...memory } of memories) {
        const ready = embedding === undefined ? {} : { space: embedding.space, vector: vectorOfText(embedding.vector) };
        items.push({ ...memory, ...ready, id: `${items.length + 1}-0` });
      }
    },
  };
}
