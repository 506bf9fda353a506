import type { Memory, MemoryWrite } from '@millrace/core';
import type { Store } from '@millrace/runtime';
import { describe, expect, it } from 'vitest';
import type { StoreHarness } from './store-harness.ts';
import { commitAt, run } from './store-harness.ts';

const notes = 'graph:g:notes: ü {x}';
const memory = (text: string, more: Partial<Memory> = {}): Memory => ({ text, at: 1000, ...more });
const write = (text: string, limit = 100, store = notes): MemoryWrite => ({ store, limit, memory: memory(text) });
const textsOf = async (store: Store, identity = notes): Promise<string[]> =>
  (await store.memory(identity, '0', 100)).items.map(({ text }) => text);

/** Defines the contract tests of a store for memories and vectors. */
export function memoryContract(harness: StoreHarness): void {
  describe('memories', () => {
    it('are empty at first', async () => {
      expect(await harness.store.memory(notes, '0', 10)).toEqual({ items: [] });
    });

    it('are written with their commit, in order and for all processes', async () => {
      const embedding = { space: 's', vector: 'AACAPw==' };
      const second = memory('b', { hash: 'h', embedding, metadata: { node: 'N "ü"' } });
      await harness.store.commit(commitAt(0, { memory: [write('a'), { store: notes, limit: 100, memory: second }] }));

      const { oldest, items } = await harness.other.memory(notes, '0', 10);

      expect(items.map(({ id: _id, ...rest }) => rest)).toEqual([memory('a'), second]);
      expect(oldest).toBe(items[0]?.id);
    });

    it('are returned from the last known one on', async () => {
      await harness.store.commit(commitAt(0, { memory: [write('a'), write('b')] }));
      const known = (await harness.store.memory(notes, '0', 1)).items[0]?.id ?? '';
      await harness.store.commit(commitAt(1, { memory: [write('c')] }));

      const { items } = await harness.other.memory(notes, known, 10);

      expect(items.map(({ text }) => text)).toEqual(['b', 'c']);
      expect((await harness.other.memory(notes, items.at(-1)?.id ?? '', 10)).items).toEqual([]);
    });

    it('are limited to the newest', async () => {
      await harness.store.commit(commitAt(0, { memory: [write('a', 2), write('b', 2), write('c', 2)] }));

      expect(await textsOf(harness.other)).toEqual(['b', 'c']);
    });

    it('are written once when a commit is sent twice, and not at all when it is late', async () => {
      const commit = commitAt(0, { memory: [write('a')] });
      await harness.store.commit(commit);
      await harness.store.commit(commit);
      await harness.other.commit({ ...commitAt(0, { memory: [write('late')] }), next: 'mine' });

      expect(await textsOf(harness.store)).toEqual(['a']);
    });

    it('belong to no run', async () => {
      await harness.store.commit(commitAt(0, { memory: [write('a')] }));
      await harness.store.commit(commitAt(0, { run: `${run}0`, memory: [write('b'), write('c', 9, 'graph:g:other')] }));

      expect(await textsOf(harness.other)).toEqual(['a', 'b']);
      expect(await textsOf(harness.other, 'graph:g:other')).toEqual(['c']);
    });
  });

  describe('vectors', () => {
    it('are found by all processes', async () => {
      await harness.store.keepVectors(new Map([['k1', 'AACAPw==']]));

      expect(await harness.other.vectors(['k0', 'k1'])).toEqual([undefined, 'AACAPw==']);
      expect(await harness.other.vectors([])).toEqual([]);
    });
  });
}
