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
    it('tells which runs ended until a time, the longest ago first, of whichever tenant', async () => {
      await ending('run_late', 3000);
      await ending('acme~run_early', 1000);
      await ending('run_middle', 2000);

      expect(await ended(2000)).toEqual(['acme~run_early', 'run_middle']);
      expect(await ended(3000, 1, 1)).toEqual(['run_middle']);
      expect(await ended(999)).toEqual([]);
      expect(await harness.other.retention.ended('failed', { until: 3000, skip: 0, limit: 10 })).toEqual([]);
    });

    it('does not tell of one that has gone on', async () => {
      await ending(run, 1000);
      await harness.store.commit(commitAt(1, { summary: summaryOf(run, 1000), formerly: 'completed' }));

      expect(await ended(5000)).toEqual([]);
    });

    it('removes all of a run, and it may be started anew', async () => {
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

    it('tells those who follow a run that is removed that it is gone', async () => {
      await ending(run, 1000);
      const following = harness.other.follow(run, '1-0', new AbortController().signal);
      following.catch(() => undefined);

      await harness.store.retention.remove(run, await harness.loaded());

      await expect(following).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
    });

    it('leaves a run alone that has moved on since it was loaded', async () => {
      await ending(run, 1000);
      const before = await harness.loaded();
      await harness.write();

      expect(await harness.store.retention.remove(run, before)).toBe(false);
      expect(await harness.store.load(run)).toBeDefined();
    });
  });
}
