import type { MemoryItem, MemoryWrite } from '@millrace/core';
import { isAfter } from '../../../journal/read-journal.ts';
import type { Store } from '../../../ports/store/port.ts';

/** Memory stores that live and die with the process. */
export interface LocalMemories {
  write(writes: readonly MemoryWrite[]): void;
  /** Part of a store for memories. */
  readonly access: Pick<Store, 'memory' | 'vectors' | 'keepVectors'>;
}

/** No memories yet. */
export function createLocalMemories(): LocalMemories {
  const stores = new Map<string, MemoryItem[]>();
  const vectors = new Map<string, string>();
  let written = 0;
  return {
    write(writes) {
      for (const { store, limit, memory } of writes) {
        const items = stores.get(store) ?? [];
        items.push({ ...memory, id: `${++written}-0` });
        stores.set(store, items.slice(-limit));
      }
    },
    access: {
      async memory(identity, after, limit) {
        const items = stores.get(identity) ?? [];
        const oldest = items[0]?.id;
        const from = items.findIndex(({ id }) => isAfter(id, after));
        const found = from < 0 ? [] : items.slice(from, from + limit);
        return oldest === undefined ? { items: found } : { oldest, items: found };
      },
      async vectors(keys) {
        return keys.map((key) => vectors.get(key));
      },
      async keepVectors(kept) {
        for (const [key, value] of kept) vectors.set(key, value);
      },
    },
  };
}
