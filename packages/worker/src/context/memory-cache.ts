import { vectorOfText } from '@millrace/catalog';
import type { MemoryItem, StoredMemory } from '@millrace/core';
import type { Runs } from '@millrace/runtime';

/** Cache of the memory stores of a worker, which reads each memory once. */
export interface MemoryCache {
  /** Returns the current memories of a store, oldest first. */
  items(identity: string): Promise<readonly StoredMemory[]>;
}

interface CacheEntry {
  items: readonly StoredMemory[];
  readonly hashes: Set<string>;
  /** Id of the last memory that was read. */
  last: string;
  /** Fulfilled when the previous reader of the store is done. */
  pending: Promise<unknown>;
}

/** Memories read in one round trip. */
const pageSize = 500;
/** Numbers in vectors that are kept, of all stores together; 256 MB. */
const vectorLimit = 64 * 1024 * 1024;

/** A cache that asks for what is new whenever it is asked, and forgets the stores that were not in use for longest. */
export function createMemoryCache(memories: Runs['memories'], limit = vectorLimit): MemoryCache {
  const stores = new Map<string, CacheEntry>();
  return {
    async items(identity) {
      const cached = stores.get(identity) ?? { items: [], hashes: new Set(), last: '0', pending: Promise.resolve() };
      stores.delete(identity);
      stores.set(identity, cached);
      const mine = cached.pending.then(() => refresh(memories, identity, cached));
      // The next reader tries again.
      cached.pending = mine.catch(() => undefined);
      await mine;
      forgetBeyond(limit, stores);
      return cached.items;
    },
  };
}

async function refresh(memories: Runs['memories'], identity: string, cached: CacheEntry): Promise<void> {
  for (;;) {
    const { oldest, items } = await memories.memory(identity, cached.last, pageSize);
    drop(cached, oldest);
    const fresh = items.filter(({ hash }) => hash === undefined || isNew(cached.hashes, hash)).map(ready);
    if (fresh.length > 0) cached.items = [...cached.items, ...fresh];
    cached.last = items.at(-1)?.id ?? cached.last;
    if (items.length < pageSize) return;
  }
}

/** Forgets what the store does not hold any more: all that is older than the oldest memory in it. */
function drop(cached: CacheEntry, oldest: string | undefined): void {
  const first = oldest === undefined ? -1 : cached.items.findIndex(({ id }) => !isBefore(id, oldest));
  const gone = first < 0 ? cached.items : cached.items.slice(0, first);
  if (gone.length === 0) return;
  for (const { hash } of gone) if (hash !== undefined) cached.hashes.delete(hash);
  cached.items = cached.items.slice(gone.length);
}

/** Two activations may have remembered the same at once. */
function isNew(hashes: Set<string>, hash: string): boolean {
  if (hashes.has(hash)) return false;
  hashes.add(hash);
  return true;
}

const ready = ({ embedding, ...item }: MemoryItem): StoredMemory =>
  embedding === undefined ? item : { ...item, space: embedding.space, vector: vectorOfText(embedding.vector) };

/** Ids are two numbers. */
function isBefore(id: string, other: string): boolean {
  const [a = 0, b = 0] = id.split('-').map(Number);
  const [c = 0, d = 0] = other.split('-').map(Number);
  return a < c || (a === c && b < d);
}

function forgetBeyond(limit: number, stores: Map<string, CacheEntry>): void {
  const sizes = [...stores].map(([identity, { items }]) => ({ identity, size: sizeOf(items) }));
  let total = sizes.reduce((sum, { size }) => sum + size, 0);
  // The one in use stays, however large it is.
  for (const { identity, size } of sizes.slice(0, -1)) {
    if (total <= limit) return;
    stores.delete(identity);
    total -= size;
  }
}

const sizeOf = (items: readonly StoredMemory[]): number =>
  items.reduce((sum, { vector, text }) => sum + (vector?.length ?? 0) + text.length / 2, 0);
