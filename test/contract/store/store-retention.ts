import { describe, expect, it } from 'vitest';
import type { StoreHarness } from './store-harness.ts';
import { append, commitAt, run, set, summaryOf } from './store-harness.ts';

/** Defines the contract tests of a store for the removal of runs that have ended. */
export function retentionContract(harness: StoreHarness): void {
  const ending = (id: string, at: number) =>
    harness.store.commit(
      commitAt(0, { run: id, at, summary: { ...summaryOf(id, 1000), status: 'completed', finishedAt: at } }),
    );
  const ended = (until: number, skip = 0, limit = 10) =>
    harness.other.retention.ended('completed', { until, skip, limit });

  describe('retention', () => {
    it('returns the runs of all tenants that ended before a time, the oldest end first', async () => {
      await ending('run_late', 3000);
      await ending('acme~run_early', 1000);
      await ending('run_middle', 2000);

      expect(await ended(2000)).toEqual(['acme~run_early', 'run_middle']);
      expect(await ended(3000, 1, 1)).toEqual(['run_middle']);
      expect(await ended(999)).toEqual([]);
      expect(await harness.other.retention.ended('failed', { until: 3000, skip: 0, limit: 10 })).toEqual([]);
    });

    it('returns temporary runs that have expired, and shows them in no list', async () => {
      const starting = (id: string, expiresAt: number) =>
        harness.store.commit(commitAt(0, { run: id, summary: { ...summaryOf(id, 500), expiresAt } }));
      await starting('run_late', 3000);
      await starting('acme~run_early', 1000);
      await starting(run, 2000);
      const over = { ...summaryOf(run, 500), status: 'completed', finishedAt: 900, expiresAt: 2000 } as const;
      await harness.store.commit(commitAt(1, { summary: over, formerly: 'running' }));
      const expired = (until: number, skip = 0, limit = 10) => harness.other.retention.expired({ until, skip, limit });

      expect(await expired(2000)).toEqual(['acme~run_early', run]);
      expect(await expired(3000, 1, 1)).toEqual([run]);
      expect(await ended(5000)).toEqual([]);
      expect((await harness.other.runs({ limit: 10 })).runs).toEqual([]);
      expect((await harness.other.runs({ limit: 10, status: 'completed' })).runs).toEqual([]);

      expect(await harness.other.retention.remove(run, await harness.loaded())).toBe(true);
      expect(await expired(5000)).toEqual(['acme~run_early', 'run_late']);
    });

    it('does not return a run that has continued', async () => {
      await ending(run, 1000);
      await harness.store.commit(commitAt(1, { summary: summaryOf(run, 1000), formerly: 'completed' }));

      expect(await ended(5000)).toEqual([]);
    });

    it('removes all data of a run, which can then be started again', async () => {
      await ending('run_other', 1000);
      await ending(run, 1000);
      await harness.write(set('counters/s0/A', 3), append('recent/s0/A', 'm1'));

      expect(await harness.other.retention.remove(run, await harness.loaded())).toBe(true);
      expect(await harness.store.load(run)).toBeUndefined();
      expect(await harness.store.journal(run, '0', 10)).toEqual([]);
      expect((await harness.store.runs({ limit: 10 })).runs.map((one) => one.run)).toEqual(['run_other']);
      expect(await ended(5000)).toEqual(['run_other']);
      expect(await harness.store.commit(commitAt(0))).toEqual({ type: 'committed', version: 1 });
    });

    it('ends followers of a removed run', async () => {
      await ending(run, 1000);
      const following = harness.other.follow(run, '1-0', new AbortController().signal);
      following.catch(() => undefined);

      await harness.store.retention.remove(run, await harness.loaded());

      await expect(following).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
    });

    it('does not remove a run that has changed since it was loaded', async () => {
      await ending(run, 1000);
      const before = await harness.loaded();
      await harness.write();

      expect(await harness.store.retention.remove(run, before)).toBe(false);
      expect(await harness.store.load(run)).toBeDefined();
    });
  });
}
