import { describe, expect, it } from 'vitest';
import type { StoreHarness } from './store-harness.ts';
import { odd } from './store-harness.ts';

/** Defines the contract tests of a store for its registers, which it keeps beside its runs. */
export function registryContract(harness: StoreHarness): void {
  describe('registers', () => {
    it('keep what was written last under an id, until it is removed', async () => {
      const { registry } = harness.store;
      await registry.write('things', odd, '1');
      await registry.write('things', odd, '2');

      expect(await harness.other.registry.read('things', odd)).toBe('2');
      expect(await harness.other.registry.read('other', odd)).toBeUndefined();
      expect(await registry.remove('things', odd)).toBe(true);
      expect(await registry.remove('things', odd)).toBe(false);
      expect(await harness.other.registry.read('things', odd)).toBeUndefined();
    });

    it('take a new entry once', async () => {
      const added = await Promise.all([
        harness.store.registry.add('things', 'a', '1'),
        harness.other.registry.add('things', 'a', '2'),
      ]);

      expect(added.sort()).toEqual([false, true]);
    });

    it('exchange an entry only for what it was read as', async () => {
      const { registry } = harness.store;
      const exchange = (before: string | undefined, after: string) =>
        harness.other.registry.exchange('things', odd, { before, after });

      expect(await exchange('0', '1')).toBe(false);
      const made = await Promise.all([exchange(undefined, '1'), exchange(undefined, '2')]);
      expect(made.toSorted()).toEqual([false, true]);
      const there = await registry.read('things', odd);
      expect(await exchange('3', '4')).toBe(false);
      expect(await exchange(there, '5')).toBe(true);
      expect(await registry.page('things', '', 10)).toEqual([{ id: odd, json: '5' }]);
    });

    it('give their entries in pages, in the order of their ids', async () => {
      for (const id of ['b', 'ä', 'a', 'B', 'c']) await harness.store.registry.write('things', id, `"${id}"`);
      await harness.store.registry.remove('things', 'c');

      expect(await harness.other.registry.page('things', '', 2)).toEqual([
        { id: 'B', json: '"B"' },
        { id: 'a', json: '"a"' },
      ]);
      expect((await harness.other.registry.page('things', 'a', 10)).map(({ id }) => id)).toEqual(['b', 'ä']);
    });

    it('are removed by who knows what they are, and found by how their register is called', async () => {
      const { registry } = harness.store;
      await registry.write('files/acme', 'a', '1');
      await registry.write('files/other', 'a', '1');
      await registry.write('keys/acme', 'a', '1');
      expect([...(await harness.other.registry.named('files/'))].sort()).toEqual(['files/acme', 'files/other']);

      expect(await registry.exchange('files/acme', 'a', { before: '2', after: undefined })).toBe(false);
      expect(await registry.exchange('files/acme', 'a', { before: '1', after: undefined })).toBe(true);
      expect(await harness.other.registry.page('files/acme', '', 10)).toEqual([]);
      expect(await registry.add('files/acme', 'a', '3')).toBe(true);
    });

    it('are trimmed to their first entries', async () => {
      for (const id of ['c', 'a', 'b']) await harness.store.registry.write('things', id, `"${id}"`);
      await harness.store.registry.trim('things', 2);
      expect((await harness.other.registry.page('things', '', 10)).map(({ id }) => id)).toEqual(['a', 'b']);

      await harness.store.registry.trim('things', 0);
      expect(await harness.other.registry.page('things', '', 10)).toEqual([]);
      expect(await harness.other.registry.read('things', 'a')).toBeUndefined();
    });
  });

  describe('what is kept for a while', () => {
    it('is kept by the first, and told to the others', async () => {
      const held = await Promise.all([
        harness.store.registry.hold('name', 'one', 60_000),
        harness.other.registry.hold('name', 'two', 60_000),
      ]);
      const [first] = held
        .map((there, at) => (there === undefined ? (['one', 'two'] as const)[at] : undefined))
        .filter(Boolean);

      expect(held.filter((there) => there === undefined)).toHaveLength(1);
      expect(held.filter((there) => there !== undefined)).toEqual([first]);
    });

    it('is replaced, let go and gone in the end', async () => {
      const { registry } = harness.store;
      await registry.hold('name', 'one', 60_000);
      await registry.replace('name', 'two', 60_000);
      expect(await harness.other.registry.hold('name', 'three', 60_000)).toBe('two');
      expect(await harness.other.registry.held(['name', 'nothing'])).toEqual(['two', undefined]);
      expect(await harness.other.registry.held([])).toEqual([]);
      expect(await registry.swap('name', { before: 'two' })).toBe(true);
      expect(await registry.hold('name', 'four', 1)).toBeUndefined();
      while ((await harness.other.registry.hold('name', 'five', 60_000)) !== undefined);
      expect(await registry.hold('name', 'six', 60_000)).toBe('five');
    });

    it('is changed, or let go, only by who knows what it is', async () => {
      const { registry } = harness.store;
      await registry.hold('name', 'one', 60_000);
      const after = { text: 'two', forMs: 60_000 };
      expect(await harness.other.registry.swap('name', { before: 'zero', after })).toBe(false);
      expect(await harness.other.registry.swap('name', { before: 'one', after })).toBe(true);
      expect(await registry.held(['name'])).toEqual(['two']);
      expect(await registry.swap('name', { before: 'one' })).toBe(false);
      expect(await registry.swap('name', { before: 'two' })).toBe(true);
      expect(await registry.held(['name'])).toEqual([undefined]);
      expect(await registry.swap('name', { before: 'two', after })).toBe(false);
      await registry.hold('name', 'three', 1);
      while ((await registry.held(['name']))[0] !== undefined);
      expect(await registry.swap('name', { before: 'three', after })).toBe(false);
    });
  });
}
