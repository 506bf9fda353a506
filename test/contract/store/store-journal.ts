import { describe, expect, it } from 'vitest';
import type { StoreHarness } from './store-harness.ts';
import { commitAt, event, eventsUpTo, run } from './store-harness.ts';

/** Defines the contract tests of a store for reading and following journals. */
export function journalContract(harness: StoreHarness): void {
  describe('the journal', () => {
    it('returns the entries after an id, oldest first, up to a limit', async () => {
      await harness.store.commit(commitAt(0, { events: eventsUpTo(12) }));
      await harness.store.commit(commitAt(1));
      const ids = async (after: string, limit: number) =>
        (await harness.other.journal(run, after, limit)).map(({ id }) => id);

      expect(await ids('0', 100)).toHaveLength(13);
      expect(await ids('1-9', 2)).toEqual(['1-10', '1-11']);
      expect(await ids('1-11', 5)).toEqual(['2-0']);
      expect(await ids('2-0', 5)).toEqual([]);
      expect(await harness.store.journal('run_unknown', '0', 5)).toEqual([]);
    });

    it('is followed without waiting while there are entries to read', async () => {
      await harness.store.commit(commitAt(0));

      expect(await harness.other.follow(run, '0', new AbortController().signal)).toEqual([
        { id: '1-0', at: 1000, event: event(0) },
      ]);
    });

    it('wakes each follower with its new entries', async () => {
      await harness.store.commit(commitAt(0));
      const { signal } = new AbortController();
      const first = harness.other.follow(run, '1-0', signal);
      const second = harness.other.follow('run_2', '0', signal);
      const third = harness.store.follow(run, '1-0', signal);

      await harness.store.commit(commitAt(1));
      expect((await first).map(({ id }) => id)).toEqual(['2-0']);
      expect((await third).map(({ id }) => id)).toEqual(['2-0']);

      const fourth = harness.other.follow(run, '2-0', signal);
      await harness.store.commit(commitAt(0, { run: 'run_2' }));
      expect((await second).map(({ id }) => id)).toEqual(['1-0']);

      await harness.store.commit(commitAt(2));
      expect((await fourth).map(({ id }) => id)).toEqual(['3-0']);
    });

    it('is followed completely by several followers at once', async () => {
      const runs = ['run_a', 'run_b', 'run_c'];
      const { signal } = new AbortController();
      const reading = runs.flatMap((id) =>
        [harness.store, harness.other].map(async (reader) => {
          const seen: string[] = [];
          while (seen.length < 50)
            seen.push(...(await reader.follow(id, seen.at(-1) ?? '0', signal)).map((entry) => entry.id));
          return seen;
        }),
      );

      await Promise.all(
        runs.map(async (id) => {
          for (let version = 0; version < 50; version += 1) await harness.store.commit(commitAt(version, { run: id }));
        }),
      );

      const expected = Array.from({ length: 50 }, (_, index) => `${index + 1}-0`);
      expect(await Promise.all(reading)).toEqual(Array(6).fill(expected));
    });

    it('releases followers that are aborted, or when the store is closed', async () => {
      const controller = new AbortController();
      const abandoned = harness.other.follow(run, '0', controller.signal);
      const patient = harness.other.follow(run, '0', new AbortController().signal);
      controller.abort();
      expect(await abandoned).toEqual([]);
      expect(await harness.other.follow(run, '0', controller.signal)).toEqual([]);

      await harness.other.close();

      expect(await patient).toEqual([]);
    });

    it('returns the beginnings of messages, and nothing for missing ones', async () => {
      const body = (content: string) => ({ role: 'user', content }) as const;
      const bodies = [
        { id: 'm1', body: body('short ü') },
        { id: 'm2', body: body('💡'.repeat(20_000)) },
      ] as const;
      await harness.store.commit(commitAt(0, { bodies }));

      const heads = await harness.other.heads(run, ['m1', 'm4', 'm2']);
      expect(heads.slice(0, 2)).toEqual([JSON.stringify(bodies[0].body), undefined]);
      expect(heads[2]?.startsWith(`{"role":"user","content":"${'💡'.repeat(400)}`)).toBe(true);
      expect(heads[2]?.length).toBeLessThanOrEqual(2048);
      expect(await harness.other.heads('run_unknown', ['m1'])).toEqual([undefined]);
      expect(await harness.other.heads(run, [])).toEqual([]);
    });

    it('returns the beginnings of a thousand messages', async () => {
      const ids = Array.from({ length: 1000 }, (_, index) => `m${index + 1}` as const);
      const bodies = ids.map((id) => ({ id, body: { role: 'user', content: id } as const }));
      await harness.store.commit(commitAt(0, { bodies }));

      expect(await harness.other.heads(run, ids)).toEqual(bodies.map(({ body }) => JSON.stringify(body)));
    });
  });
}
