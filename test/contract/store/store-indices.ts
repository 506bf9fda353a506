import { describe, expect, it } from 'vitest';
import type { StoreHarness } from './store-harness.ts';
import { commitAt, odd, run, wakeOf } from './store-harness.ts';

/** Defines the contract tests of a store for the data beside states and journals. */
export function indexContract(harness: StoreHarness): void {
  describe('messages and plans', () => {
    it('returns bodies in the requested order', async () => {
      const bodies = ['one', 'two', odd].map((content, index) => ({
        id: `m${index}` as const,
        body: { role: 'user' as const, content },
      }));
      await harness.store.commit(commitAt(0, { bodies }));

      expect(await harness.other.bodies(run, ['m2', 'm0', 'm2'])).toEqual([
        bodies[2]?.body,
        bodies[0]?.body,
        bodies[2]?.body,
      ]);
      expect(await harness.other.bodies(run, [])).toEqual([]);
    });

    it('reports which body does not exist', async () => {
      await harness.store.commit(commitAt(0));

      await expect(harness.store.bodies(run, ['m7'])).rejects.toThrow('m7');
    });

    it('keeps plans under their hash', async () => {
      await harness.store.savePlan('abc', '{"a":"ü"}');
      await harness.other.savePlan('abc', '{"a":"ü"}');

      expect(await harness.other.loadPlan('abc')).toBe('{"a":"ü"}');
      expect(await harness.other.loadPlan('abd')).toBeUndefined();
    });

    it('keeps texts of workflows under their hash, apart from plans', async () => {
      await harness.store.savePlan('abc', '{}');
      await harness.store.saveText('abc', `graph: {id: ${odd}}`);
      await harness.other.saveText('abc', `graph: {id: ${odd}}`);

      expect(await harness.other.loadText('abc')).toBe(`graph: {id: ${odd}}`);
      expect(await harness.other.loadPlan('abc')).toBe('{}');
      expect(await harness.other.loadText('abd')).toBeUndefined();
    });
  });

  describe('the agenda', () => {
    it('returns overdue wakes, oldest first, and postpones them', async () => {
      await harness.store.commit(commitAt(0, { at: 1000, wakes: [wakeOf(1)] }));
      await harness.store.commit(commitAt(1, { at: 2000, wakes: [wakeOf(2), wakeOf(3)] }));
      const late = 2000 + 60_000;

      expect(await harness.other.overdue(1000, 5000, 10)).toEqual([]);
      expect(await harness.other.overdue(late, late + 5000, 2)).toEqual([wakeOf(1), wakeOf(2)]);
      expect(await harness.other.overdue(late, late + 5000, 2)).toEqual([wakeOf(3)]);
      expect(await harness.store.overdue(late, late + 5000, 2)).toEqual([]);
      expect(await harness.store.overdue(late + 5000, late + 9000, 10)).toHaveLength(3);
    });

    it('lists all wakes without postponing them', async () => {
      await harness.store.commit(commitAt(0, { at: 2000, wakes: [wakeOf(1)] }));
      await harness.store.commit(commitAt(1, { at: 1000, wakes: [wakeOf(2)] }));

      expect(await harness.other.agenda()).toEqual([wakeOf(2), wakeOf(1)]);
      expect(await harness.other.onAgenda([wakeOf(1), wakeOf(3), wakeOf(1, 'n2')])).toEqual([wakeOf(1)]);
      expect(await harness.other.onAgenda([])).toEqual([]);
      expect(await harness.store.overdue(1e12, 1e12, 10)).toHaveLength(2);
    });

    it('keeps entries with times of their own, such as alarms', async () => {
      const alarm = { run, alarm: 'alarm/timeout', token: 'n1' } as const;
      await harness.store.commit(commitAt(0, { at: 1000, later: [{ due: alarm, at: 9e9 }] }));
      await harness.store.commit(commitAt(1, { at: 1000, later: [{ due: wakeOf(1), at: 8e9 }] }));

      expect(await harness.other.overdue(8e9 - 1, 1e12, 10)).toEqual([]);
      expect(await harness.other.agenda()).toEqual([wakeOf(1), alarm]);
      await harness.store.commit(commitAt(2, { settled: [alarm] }));
      expect(await harness.other.overdue(1e12, 1e12, 10)).toEqual([wakeOf(1)]);
    });

    it('is repaired outside of commits', async () => {
      await harness.store.commit(commitAt(0, { wakes: [wakeOf(1), wakeOf(2)] }));

      await harness.other.repairAgenda({ missing: [wakeOf(3)], needless: [wakeOf(1)] });
      await harness.other.repairAgenda({ missing: [], needless: [] });

      expect(await harness.store.overdue(1, 1e9, 10)).toEqual([wakeOf(3)]);
      expect(await harness.store.agenda()).toHaveLength(2);
    });

    it('removes settled wakes', async () => {
      await harness.store.commit(commitAt(0, { wakes: [wakeOf(1), wakeOf(2)] }));
      await harness.store.commit(commitAt(1, { settled: [wakeOf(1)], wakes: [wakeOf(3, 'n2')] }));

      expect(await harness.store.overdue(1e12, 1e12, 10)).toEqual([wakeOf(2), wakeOf(3, 'n2')]);
    });
  });

  describe('the clock', () => {
    it('returns whole milliseconds and never goes back', async () => {
      await harness.store.commit(commitAt(0));
      let last = harness.store.now();
      for (let version = 1; version < 50; version += 1) {
        await harness.store.commit(commitAt(version));
        const now = harness.store.now();
        expect(Number.isInteger(now)).toBe(true);
        expect(now).toBeGreaterThanOrEqual(last);
        last = now;
      }
    });
  });
}
