import type { BatchLine } from '@millrace/runtime';
import { describe, expect, it } from 'vitest';
import type { StoreHarness } from './store-harness.ts';

const batch = 'acme~b 1';
const line = (row: number, status: BatchLine['status'] = 'waiting'): BatchLine => ({
  row,
  status,
  json: `{"n":${row}}`,
});

/** Defines the contract tests of a store for the rows of batches. */
export function rowContract(harness: StoreHarness): void {
  describe('rows of batches', () => {
    it('are visible to all processes, with their statuses', async () => {
      await harness.store.rows.put(batch, [line(1), line(2, 'invalid'), line(3)]);
      await harness.store.rows.put(batch, [line(1), line(2, 'invalid'), line(3)]);

      const { rows } = harness.other;
      expect(await rows.read(batch, [3, 2, 4])).toEqual([line(3), line(2, 'invalid')]);
      expect(await rows.counts(batch)).toMatchObject({ waiting: 2, invalid: 1, running: 0 });
      expect(await rows.page(batch, 'waiting', { after: 1, limit: 10 })).toEqual([3]);
      expect(await rows.counts('other')).toMatchObject({ waiting: 0 });
    });

    it('leave a status once, whichever process moves them', async () => {
      await harness.store.rows.put(batch, [line(1)]);
      const move = { row: 1, from: ['waiting', 'failed'], to: 'running', note: '{"attempt":1}' } as const;

      const moved = await Promise.all([harness.store.rows.move(batch, move), harness.other.rows.move(batch, move)]);

      expect(moved.toSorted()).toEqual([false, true]);
      expect(await harness.other.rows.read(batch, [1])).toEqual([{ ...line(1, 'running'), note: '{"attempt":1}' }]);
      expect(await harness.store.rows.move(batch, { row: 1, from: ['running'], to: 'completed' })).toBe(true);
      expect(await harness.other.rows.read(batch, [1])).toEqual([{ ...line(1, 'completed'), note: '{"attempt":1}' }]);
      expect(await harness.store.rows.move(batch, { row: 9, from: ['waiting'], to: 'running' })).toBe(false);
      expect(await harness.other.rows.counts(batch)).toMatchObject({ waiting: 0, running: 0, completed: 1 });
    });

    it('add their usage to that of their batch only when they move', async () => {
      const { rows } = harness.store;
      await rows.put(batch, [line(1)]);
      const done = {
        row: 1,
        from: ['waiting'],
        to: 'completed',
        note: 'one',
        spent: { calls: 2, microUsd: 70 },
      } as const;
      expect(await rows.usage(batch)).toEqual({});

      await Promise.all([rows.move(batch, done), harness.other.rows.move(batch, done)]);
      const again = {
        row: 1,
        from: ['completed'],
        to: 'failed',
        spent: { calls: 1, microUsd: -20, unpriced: 1 },
      } as const;
      expect(await rows.move(batch, { ...again, before: 'another' })).toBe(false);
      expect(await harness.other.rows.usage(batch)).toEqual({ calls: 2, microUsd: 70 });
      expect(await rows.move(batch, { ...again, before: 'one' })).toBe(true);

      expect(await harness.other.rows.usage(batch)).toEqual({ calls: 3, microUsd: 50, unpriced: 1 });
      await rows.remove(batch);
      expect(await rows.usage(batch)).toEqual({});
    });

    it('start in their order, up to the limit of parallel rows', async () => {
      const { rows } = harness.store;
      await rows.put(batch, [line(10), line(9), line(2, 'running'), line(11)]);

      expect(await rows.startable(batch, 3)).toEqual([9, 10]);
      expect(await rows.startable(batch, 1)).toEqual([]);
      expect(await rows.startable(batch, 0)).toEqual([]);
      expect(await rows.startable(batch, 50)).toEqual([9, 10, 11]);
    });
  });
}
