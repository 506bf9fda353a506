import { describe, expect, it } from 'vitest';
import type { StoreHarness } from './store-harness.ts';
import { odd } from './store-harness.ts';

/** Defines the contract tests of a store for its registers, which it keeps beside its runs. */
export function registryContract(harness: StoreHarness): void {
  describe('registers', () => {
    it('keep the last value of an id until it is removed', async () => {
      const { registry } = harness.store;
      await registry.write('things', odd, '1');
      await registry.write('things', odd, '2');

      expect(await harness.other.registry.read('things', odd)).toBe('2');
      expect(await harness.other.registry.read('other', odd)).toBeUndefined();
      expect(await registry.remove('things', odd)).toBe(true);
      expect(await registry.remove('things', odd)).toBe(false);
      expect(await harness.other.registry.read('things', odd)).toBeUndefined();
    });

    it('accept a new entry once', async () => {
      const added = await Promise.all([
        harness.store.registry.add('things', 'a', '1'),
        harness.other.registry.add('things', 'a', '2'),
      ]);

      expect(added.sort()).toEqual([false, true]);
    });

    it('replace an entry only if it is unchanged since it was read', async () => {
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

    it('return their entries in pages, in the order of their ids', async () => {
      for (const id of ['b', 'ä', 'a', 'B', 'c']) await harness.store.registry.write('things', id, `"${id}"`);
      await harness.store.registry.remove('things', 'c');

      expect(await harness.other.registry.page('things', '', 2)).toEqual([
        { id: 'B', json: '"B"' },
        { id: 'a', json: '"a"' },
      ]);
      expect((await harness.other.registry.page('things', 'a', 10)).map(({ id }) => id)).toEqual(['b', 'ä']);
    });

    it('return whole pages while entries are removed, as a short one is the last', async () => {
      const { registry } = harness.store;
      for (const id of ['a', 'b', 'c', 'd']) await registry.write('things', id, '1');

      const [page] = await Promise.all([registry.page('things', '', 2), registry.remove('things', 'a')]);

      expect(page).toHaveLength(2);
    });

    it('are removed if they have an expected value, and found by the name of their register', async () => {
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

  describe('an entry with an expiry', () => {
    it('is written by the first process, and returned to the others', async () => {
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

    it('is replaced, released, and expires', async () => {
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

    it('is changed or released only if it has the expected value', async () => {
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
