import { describe, expect, it } from 'vitest';
import type { StoreHarness } from './store-harness.ts';
import { commitAt, odd, run } from './store-harness.ts';

const content = (name: string, size: number) => ({ digest: name.repeat(64).slice(0, 64), size });

/** Defines the contract tests of a store for the bytes that tenants have stored. */
export function storedBytesContract(harness: StoreHarness): void {
  describe('the stored bytes', () => {
    it('are the sum of those of all owners of a tenant', async () => {
      const { store, other } = harness;
      await store.stored.set('acme', `file/${odd}`, { bytes: 30, most: 100 });
      await other.stored.set('acme', 'batch/b', { bytes: 20, most: 100 });
      await store.stored.add('acme~r', [content('a', 4), content('b', 6)], 100);
      await store.stored.set('beta', 'file/f', { bytes: 5, most: 100 });

      expect(await other.stored.total('acme')).toBe(60);
      expect(await other.stored.tenants()).toEqual([
        { tenant: 'acme', bytes: 60 },
        { tenant: 'beta', bytes: 5 },
      ]);
      const owners: string[] = [];
      for await (const owner of store.stored.owners('acme')) owners.push(owner);
      expect(owners.sort()).toEqual(['batch/b', `file/${odd}`, 'run/acme~r'].sort());
    });

    it('count each content of a run once, and the same one for each run that has it', async () => {
      const { store, other } = harness;
      await Promise.all(Array.from({ length: 5 }, () => store.stored.add('r1', [content('a', 4)], 100)));
      await other.stored.add('r1', [content('a', 4), content('b', 6)], 100);
      await other.stored.add('r2', [content('a', 4)], 100);

      expect(await store.stored.total('default')).toBe(14);
    });

    it('do not exceed a limit, however many are counted at the same time, and nothing of what is refused counts', async () => {
      const { store, other } = harness;
      const added = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          at % 2 === 0
            ? store.stored.add(`r${at}`, [content(`${at}.`, 30)], 100)
            : other.stored.set('default', `file/${at}`, { bytes: 30, most: 100 }),
        ),
      );

      expect(added.filter((one) => one)).toHaveLength(3);
      expect(await store.stored.total('default')).toBe(90);
      expect(await store.stored.add('r', [content('a', 10), content('b', 1)], 100)).toBe(false);
      expect(await store.stored.add('r', [content('a', 10)], 100)).toBe(true);
    });

    it('are changed and taken back, also where a tenant has more than it may', async () => {
      const { store } = harness;
      await store.stored.set('acme', 'upload/1', { bytes: 80, most: 100 });
      expect(await store.stored.set('acme', 'file/f', { bytes: 90, most: 100, instead: 'upload/1' })).toBe(true);
      expect(await store.stored.total('acme')).toBe(90);
      expect(await store.stored.set('acme', 'file/f', { bytes: 40, most: 10 })).toBe(true);
      expect(await store.stored.set('acme', 'file/g', { bytes: 1, most: 10 })).toBe(false);
      await store.stored.set('acme', 'file/f', { bytes: 0, most: 0 });

      expect(await store.stored.tenants()).toEqual([]);
    });

    it('are no less for a negative size, which nothing has', async () => {
      const { store, other } = harness;
      await store.stored.set('acme', 'file/f', { bytes: 10, most: 100 });
      await other.stored.set('acme', 'file/g', { bytes: -5, most: 100 });
      await store.stored.add('acme~r', [content('a', 50), content('b', -30), content('c', 0)], 100);

      expect(await other.stored.total('acme')).toBe(60);
      expect(await store.stored.add('acme~r', [content('d', -1000), content('e', 41)], 100)).toBe(false);
      expect(await store.stored.tenants()).toEqual([{ tenant: 'acme', bytes: 60 }]);
      const owners: string[] = [];
      for await (const owner of store.stored.owners('acme')) owners.push(owner);
      expect(owners.sort()).toEqual(['file/f', 'run/acme~r']);
    });

    it('contain the messages of a run as of the last measurement', async () => {
      const { store, other } = harness;
      const commit = async (version: number, text: string) => {
        const bodies = [{ id: `m${version + 1}` as const, body: { role: 'user' as const, content: text } }];
        expect(await store.commit(commitAt(version, { bodies }))).toMatchObject({ type: 'committed' });
      };
      await store.stored.add(run, [content('a', 4)], 100);
      await commit(0, 'x'.repeat(10_000));
      await Promise.all([store.stored.measure(run), other.stored.measure(run)]);
      const first = await other.stored.total('default');
      await commit(1, 'y'.repeat(20_000));
      await other.stored.measure(run);

      expect(first).toBeGreaterThan(10_000);
      expect(first).toBeLessThan(15_000);
      expect((await store.stored.total('default')) - first).toBeGreaterThanOrEqual(19_900);
      await store.stored.forget(run);
      await store.stored.measure('absent');
      expect(await store.stored.tenants()).toEqual([]);
    });

    it('are taken back for contents that nothing refers to, each once', async () => {
      const { store, other } = harness;
      await store.stored.add('acme~r', [content('a', 4), content('b', 6), content('c', 8)], 100);
      await other.stored.remove('acme~r', [content('a', 4).digest, content('b', 6).digest, content('d', 1).digest]);
      await store.stored.remove('acme~r', [content('a', 4).digest]);

      expect(await store.stored.total('acme')).toBe(8);
      expect(await store.stored.add('acme~r', [content('a', 4)], 100)).toBe(true);
      expect(await store.stored.total('acme')).toBe(12);
      await store.stored.remove('acme~r', [content('a', 4).digest, content('c', 8).digest]);
      expect(await store.stored.tenants()).toEqual([]);
    });

    it('are those of no run that was forgotten', async () => {
      const { store } = harness;
      await store.stored.add('acme~r', [content('a', 4)], 100);
      await store.stored.forget('acme~r');
      expect(await store.stored.tenants()).toEqual([]);

      await store.stored.add('acme~r', [content('a', 4)], 100);
      expect(await store.stored.total('acme')).toBe(4);
    });
  });
}
