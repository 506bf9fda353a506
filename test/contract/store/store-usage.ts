import type { UsageRow } from '@millrace/runtime';
import { describe, expect, it } from 'vitest';
import type { StoreHarness } from './store-harness.ts';
import { commitAt, odd } from './store-harness.ts';

const day = '2026-11-22';
const next = '2026-11-23';
const count = (field: string, by: number, on = day) => ({ day: on, field, by });

const sorted = (rows: readonly UsageRow[] = []) =>
  rows.toSorted((a, b) => `${a.workflow} ${a.model}`.localeCompare(`${b.workflow} ${b.model}`));

/** Defines the contract tests of a store for the usage by day. */
export function usageContract(harness: StoreHarness): void {
  describe('the usage by day', () => {
    it('is the sum of what commits add, by workflow and model', async () => {
      await harness.store.commit({
        ...commitAt(0),
        usage: [count('poem/m/calls', 1), count('poem/m/microUsd', 70), count('poem//completed', 1, next)],
      });
      await harness.other.commit({ ...commitAt(1), usage: [count('poem/m/calls', 2), count('poem//failed', 1)] });

      const [first, second, third] = await harness.other.usage.read('default', [day, next, '2026-11-24']);

      expect(sorted(first)).toEqual([
        { workflow: 'poem', model: '', numbers: { failed: 1 } },
        { workflow: 'poem', model: 'm', numbers: { calls: 3, microUsd: 70 } },
      ]);
      expect(second).toEqual([{ workflow: 'poem', model: '', numbers: { completed: 1 } }]);
      expect(third).toEqual([]);
    });

    it('has how long completed runs took, in buckets', async () => {
      await harness.store.commit({ ...commitAt(0), usage: [count('poem//took4', 2), count('poem//completed', 2)] });
      await harness.other.commit({ ...commitAt(1), usage: [count('poem//took4', -1), count('poem//took31', 1)] });

      const [rows] = await harness.other.usage.read('default', [day]);

      const durations = new Map([
        [4, 1],
        [31, 1],
      ]);
      expect(rows).toEqual([{ workflow: 'poem', model: '', numbers: { completed: 2 }, durations }]);
    });

    it('counts a commit once, however often it is sent, and not at all when it is refused', async () => {
      const commit = { ...commitAt(0), usage: [count('poem/m/calls', 1)] };
      await harness.store.commit(commit);
      await harness.store.commit(commit);
      expect(await harness.other.commit({ ...commit, next: 'another' })).toMatchObject({ type: 'behind' });

      const [rows] = await harness.store.usage.read('default', [day]);

      expect(rows).toEqual([{ workflow: 'poem', model: 'm', numbers: { calls: 1 } }]);
    });

    it('belongs to a tenant, and tells which tenants have any', async () => {
      await harness.store.commit({ ...commitAt(0, { run: 'acme~r' }), usage: [count('w/m/calls', 1)] });
      await harness.store.commit({ ...commitAt(0, { run: 'beta~r' }), usage: [count('w/m/calls', 1, next)] });

      expect((await harness.other.usage.read('default', [day]))[0]).toEqual([]);
      expect((await harness.other.usage.read('acme', [day]))[0]).toHaveLength(1);
      expect(await harness.other.usage.tenants(day)).toEqual(['acme', 'beta']);
      expect(await harness.other.usage.tenants(next)).toEqual(['beta']);
    });

    it('adds up the smallest rows of a day with very many, and loses nothing', async () => {
      const rows = Array.from({ length: 400 }, (_, at) => `${encodeURIComponent(odd)}${at}/m`);
      const usage = rows.flatMap((row, at) => [
        count(`${row}/calls`, 1),
        count(`${row}/promptTokens`, at),
        count(`${row}/completionTokens`, 1),
        count(`${row}/microUsd`, at),
      ]);
      await harness.store.commit({ ...commitAt(0), usage });
      await harness.store.usage.condense(next);
      await harness.other.usage.condense(next);

      const [kept = []] = await harness.other.usage.read('default', [day]);

      expect(kept).toHaveLength(101);
      expect(kept.find(({ workflow }) => workflow === `${odd}399`)?.numbers.microUsd).toBe(399);
      expect(kept.find(({ workflow }) => workflow === '')?.numbers).toMatchObject({ calls: 300 });
      expect(kept.reduce((sum, { numbers }) => sum + (numbers.microUsd ?? 0), 0)).toBe((399 * 400) / 2);
    });

    it('forgets tenants whose last usage is older than 400 days', async () => {
      await harness.store.commit({ ...commitAt(0, { run: 'acme~r' }), usage: [count('w/m/calls', 1)] });

      await harness.store.usage.condense('2027-12-28');

      expect(await harness.other.usage.tenants('2026-01-01')).toEqual([]);
    });
  });
}
