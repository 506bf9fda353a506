import { State } from '@millrace/core';
import { createMemoryStore } from '@millrace/runtime';
import { describe, expect, it } from 'vitest';
import { createMemoryCache } from './memory-cache.ts';

/** A store that memories are written to, each with a commit of its own. */
function written() {
  const store = createMemoryStore();
  let commits = 0;
  const asked: string[] = [];
  return {
    asked,
    memories: {
      ...store,
      memory: (identity: string, after: string, limit: number) => {
        asked.push(`${identity} ${after}`);
        return store.memory(identity, after, limit);
      },
    },
    async write(identity: string, text: string, more: { readonly hash?: string; readonly limit?: number } = {}) {
      const { limit = 100, ...rest } = more;
      const embedding = { space: 's', vector: 'AACAPw==' };
      commits += 1;
      await store.commit({
        run: `run_${commits}`,
        version: 0,
        nonce: '',
        next: 'n',
        at: 0,
        before: new State(),
        decision: {
          events: [],
          writes: [],
          bodies: [],
          wakes: [],
          later: [],
          settled: [],
          memory: [{ store: identity, limit, memory: { text, at: 0, embedding, ...rest } }],
        },
      });
    },
  };
}

const textsOf = (items: readonly { readonly text: string }[]) => items.map(({ text }) => text);

describe('the memory cache of a worker', () => {
  it('contains the entries of stores, read once', async () => {
    const { asked, memories, write } = written();
    const cache = createMemoryCache(memories);
    await write('A', 'one');
    expect(await cache.items('A')).toMatchObject([{ text: 'one', space: 's', vector: Float32Array.from([1]) }]);
    await write('A', 'two');
    expect(textsOf(await cache.items('A'))).toEqual(['one', 'two']);
    expect(asked).toEqual(['A 0', 'A 1-0']);
  });

  it('is read once for concurrent requests', async () => {
    const { memories, write } = written();
    const cache = createMemoryCache(memories);
    await write('A', 'one');
    const all = await Promise.all(Array.from({ length: 5 }, () => cache.items('A')));
    expect(all.map(textsOf)).toEqual(Array(5).fill(['one']));
  });

  it('forgets entries that a store has dropped', async () => {
    const { memories, write } = written();
    const cache = createMemoryCache(memories);
    await write('A', 'one', { hash: 'h' });
    await write('A', 'two');
    await cache.items('A');
    await write('A', 'three', { limit: 1 });
    expect(textsOf(await cache.items('A'))).toEqual(['three']);
    await write('A', 'one', { hash: 'h' });
    expect(textsOf(await cache.items('A'))).toEqual(['three', 'one']);
  });

  it('contains an entry once that was written twice', async () => {
    const { memories, write } = written();
    await write('A', 'one', { hash: 'h' });
    await write('A', 'one', { hash: 'h' });
    expect(await createMemoryCache(memories).items('A')).toHaveLength(1);
  });

  it('is limited: stores that were not used lately are read again', async () => {
    const { asked, memories, write } = written();
    const cache = createMemoryCache(memories, 3);
    await write('A', 'one');
    await write('B', 'two');
    for (const identity of ['A', 'B', 'A']) await cache.items(identity);
    expect(asked).toEqual(['A 0', 'B 0', 'A 0']);
  });

  it('is read again after a failure', async () => {
    const { memories, write } = written();
    let failures = 1;
    const cache = createMemoryCache({
      ...memories,
      memory: (...args) => (failures-- > 0 ? Promise.reject(new Error('gone')) : memories.memory(...args)),
    });
    await write('A', 'one');
    await expect(cache.items('A')).rejects.toThrow('gone');
    expect(textsOf(await cache.items('A'))).toEqual(['one']);
  });
});
