import { describe, expect, it } from 'vitest';
import type { StoreHarness } from './store-harness.ts';
import { append, commitAt, contents, event, eventsUpTo, run, set, wakeOf } from './store-harness.ts';

/** Defines the contract tests of a store for commits. */
export function commitContract(harness: StoreHarness): void {
  describe('committing', () => {
    it('makes a run with its first commit', async () => {
      expect(await harness.store.load(run)).toBeUndefined();

      expect(await harness.store.commit(commitAt(0))).toEqual({ type: 'committed', version: 1 });

      expect(await harness.loaded()).toMatchObject({ version: 1, nonce: 'n1' });
    });

    it('tells who comes too late what was missed', async () => {
      await harness.store.commit(commitAt(0));
      await harness.store.commit(commitAt(1, { events: eventsUpTo(2) }));
      await harness.store.commit(commitAt(2));

      const late = await harness.other.commit({ ...commitAt(1), next: 'mine' });

      expect(late).toEqual({
        type: 'behind',
        version: 3,
        nonce: 'n3',
        missed: [
          { id: '2-0', at: 1001, event: event(0) },
          { id: '2-1', at: 1001, event: event(1) },
          { id: '3-0', at: 1002, event: event(2) },
        ],
      });
    });

    it('tells the second who starts a run everything that the first did', async () => {
      await harness.store.commit(commitAt(0));

      const late = await harness.other.commit({ ...commitAt(0), next: 'mine' });

      expect(late).toEqual({
        type: 'behind',
        version: 1,
        nonce: 'n1',
        missed: [{ id: '1-0', at: 1000, event: event(0) }],
      });
    });

    it('writes nothing for who comes too late', async () => {
      await harness.write(set('run', 'first'));

      await harness.other.commit({
        ...commitAt(0, {
          writes: [set('run', 'second')],
          wakes: [wakeOf(1)],
          bodies: [{ id: 'm0', body: { role: 'user', content: '' } }],
        }),
        next: 'mine',
      });

      expect(contents(await harness.loaded()).records).toEqual(new Map([['run', 'first']]));
      expect(await harness.store.overdue(1e15, 1e15, 10)).toEqual([]);
      await expect(harness.store.bodies(run, ['m0'])).rejects.toThrow();
    });

    it('answers a commit that was sent twice as done, and carries it out once', async () => {
      const commit = commitAt(0, { writes: [append('recent/s0/A', 1)] });
      await harness.store.commit(commit);

      expect(await harness.store.commit(commit)).toEqual({ type: 'committed', version: 1 });

      expect((await harness.loaded()).state.list('recent/s0/A')).toEqual([1]);
      expect(await harness.store.journal(run, '0', 10)).toHaveLength(1);
    });

    it('says that it diverged when it is at an older version', async () => {
      await harness.store.commit(commitAt(0));

      expect(await harness.store.commit(commitAt(1 + 1))).toEqual({ type: 'diverged' });
      expect(await harness.store.commit({ ...commitAt(3), run: 'run_unknown' })).toEqual({ type: 'diverged' });
    });

    it('says that it diverged when another commit made the same version', async () => {
      await harness.store.commit(commitAt(0));

      expect(await harness.store.commit({ ...commitAt(1), nonce: 'lost' })).toEqual({ type: 'diverged' });
    });

    it('says that it diverged when another commit made the known version and others followed', async () => {
      await harness.store.commit(commitAt(0));
      await harness.store.commit(commitAt(1));

      expect(await harness.store.commit({ ...commitAt(1), nonce: 'lost', next: 'mine' })).toEqual({ type: 'diverged' });
    });

    it('lets one of many win', async () => {
      await harness.store.commit(commitAt(0));

      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 === 0 ? harness.store : harness.other).commit({ ...commitAt(1), next: `x${index}` }),
        ),
      );

      expect(results.filter(({ type }) => type === 'committed')).toHaveLength(1);
      expect(results.filter(({ type }) => type === 'behind')).toHaveLength(19);
    });

    it('keeps runs apart', async () => {
      await harness.store.commit(commitAt(0, { writes: [set('tally/x', 1)] }));
      await harness.store.commit(commitAt(0, { run: 'run_10', writes: [set('tally/x', 2)] }));

      expect((await harness.loaded()).state.get('tally/x')).toBe(1);
    });
  });
}
