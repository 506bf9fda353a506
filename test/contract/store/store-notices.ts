import { describe, expect, it } from 'vitest';
import type { StoreHarness } from './store-harness.ts';
import { commitAt, run } from './store-harness.ts';

const patient = (): AbortSignal => AbortSignal.timeout(60_000);

/** Defines the contract tests of a store for notices to recipients outside. */
export function noticeContract(harness: StoreHarness): void {
  describe('notices', () => {
    it('are written with their commit, in order, and are taken once', async () => {
      await harness.store.commit({ ...commitAt(0), outboxEntries: ['1-0'] });
      await harness.store.commit(commitAt(1));
      await harness.store.commit({ ...commitAt(2), outboxEntries: ['3-0', '3-1'] });

      const taken = [
        ...(await harness.other.outbox.take(patient())),
        ...(await harness.store.outbox.take(AbortSignal.timeout(200))),
      ];

      expect(taken.map(({ run: of, entry }) => [of, entry])).toEqual([
        [run, '1-0'],
        [run, '3-0'],
        [run, '3-1'],
      ]);
      await harness.store.outbox.done(taken.map(({ id }) => id));
      expect(await harness.other.outbox.take(AbortSignal.timeout(200))).toEqual([]);
    });

    it('are not written with a refused commit', async () => {
      await harness.store.commit(commitAt(0));
      await harness.store.commit({ ...commitAt(0), next: 'other', outboxEntries: ['1-0'] });

      expect(await harness.store.outbox.take(AbortSignal.timeout(200))).toEqual([]);
    });

    it('can be awaited', async () => {
      await harness.store.outbox.take(AbortSignal.timeout(100));
      const taking = harness.store.outbox.take(patient());
      await harness.other.commit({ ...commitAt(0), outboxEntries: ['1-0'] });

      expect(await taking).toMatchObject([{ run, entry: '1-0' }]);
    });

    it('are not returned after the wait is aborted', async () => {
      expect(await harness.store.outbox.take(AbortSignal.abort())).toEqual([]);
    });
  });
}
