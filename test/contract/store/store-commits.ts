import type { CommitResult } from '@millrace/runtime';
import { describe, expect, it } from 'vitest';
import type { StoreHarness } from './store-harness.ts';
import { append, commitAt, contents, event, eventsUpTo, run, set, wakeOf } from './store-harness.ts';

const missedIn = (result: CommitResult) => (result.type === 'behind' ? [...result.missed] : undefined);

/** Defines the contract tests of a store for commits. */
export function commitContract(harness: StoreHarness): void {
  describe('a commit', () => {
    it('creates the run if it is the first one', async () => {
      expect(await harness.store.load(run)).toBeUndefined();

      expect(await harness.store.commit(commitAt(0))).toEqual({ type: 'committed', version: 1 });

      expect(await harness.loaded()).toMatchObject({ version: 1, nonce: 'n1' });
    });

    it('returns the missed events if it is late', async () => {
      await harness.store.commit(commitAt(0));
      await harness.store.commit(commitAt(1, { events: eventsUpTo(2) }));
      await harness.store.commit(commitAt(2));

      const late = await harness.other.commit({ ...commitAt(1), next: 'mine' });

      expect(missedIn(late)).toEqual([
        { version: 2, nonce: 'n2', at: 1001, events: [event(0), event(1)] },
        { version: 3, nonce: 'n3', at: 1002, events: [event(2)] },
      ]);
    });

    it('returns all events of the run if that was started twice', async () => {
      await harness.store.commit(commitAt(0));

      const late = await harness.other.commit({ ...commitAt(0), next: 'mine' });

      expect(missedIn(late)).toEqual([{ version: 1, nonce: 'n1', at: 1000, events: [event(0)] }]);
    });

    it('writes nothing if a plan or a text that the commit assumes is missing, and commits once both are stored', async () => {
      const preconditions = { plan: 'p1', text: 't1', register: { name: 'webhooks/acme', hasEntries: false } };
      const commit = { ...commitAt(0), preconditions };
      expect(await harness.store.commit(commit)).toEqual({ type: 'unmet' });
      await harness.store.savePlan('p1', '{}');
      expect(await harness.store.commit(commit)).toEqual({ type: 'unmet' });
      expect(await harness.store.load(run)).toBeUndefined();

      await harness.store.saveText('t1', 'graph:');

      expect(await harness.store.commit(commit)).toEqual({ type: 'committed', version: 1 });
      expect(await harness.loaded()).toMatchObject({ version: 1, nonce: 'n1' });
    });

    it('writes nothing if a register has entries, or none, against the assumption of the commit', async () => {
      const assuming = (hasEntries: boolean) => ({
        ...commitAt(0),
        preconditions: { plan: 'p1', register: { name: 'webhooks/acme', hasEntries } },
      });
      await harness.store.savePlan('p1', '{}');
      expect(await harness.store.commit(assuming(true))).toEqual({ type: 'unmet' });
      await harness.store.registry.write('webhooks/acme', 'wh_1', '{}');

      expect(await harness.store.commit(assuming(false))).toEqual({ type: 'unmet' });
      expect(await harness.store.commit(assuming(true))).toEqual({ type: 'committed', version: 1 });
    });

    it('writes nothing if one key is missing that the commit assumes, and another one is there that it does not', async () => {
      const preconditions = { plan: 'p1', text: 't1', register: { name: 'webhooks/acme', hasEntries: false } };
      await harness.store.saveText('t1', 'graph:');
      await harness.store.registry.write('webhooks/acme', 'wh_1', '{}');

      expect(await harness.store.commit({ ...commitAt(0), preconditions })).toEqual({ type: 'unmet' });
    });

    it('reports a start that was sent twice as done, even if its assumption no longer holds', async () => {
      const commit = {
        ...commitAt(0),
        preconditions: { plan: 'p1', register: { name: 'webhooks/acme', hasEntries: false } },
      };
      await harness.store.savePlan('p1', '{}');
      await harness.store.commit(commit);
      await harness.store.registry.write('webhooks/acme', 'wh_1', '{}');

      expect(await harness.store.commit(commit)).toEqual({ type: 'committed', version: 1 });
    });

    it('writes nothing if it is late', async () => {
      await harness.write(set('tally/A', 'first'));

      await harness.other.commit({
        ...commitAt(0, {
          writes: [set('tally/A', 'second')],
          wakes: [wakeOf(1)],
          bodies: [{ id: 'm0', body: { role: 'user', content: '' } }],
        }),
        next: 'mine',
      });

      expect(contents(await harness.loaded()).records).toEqual(new Map([['tally/A', 'first']]));
      expect(await harness.store.overdue(1e15, 1e15, 10)).toEqual([]);
      await expect(harness.store.bodies(run, ['m0'])).rejects.toThrow();
    });

    it('is executed once if it is sent twice, and is reported as done', async () => {
      const commit = commitAt(0, { writes: [append('recent/s0/A', 1)] });
      await harness.store.commit(commit);

      expect(await harness.store.commit(commit)).toEqual({ type: 'committed', version: 1 });

      expect((await harness.loaded()).state.list('recent/s0/A')).toEqual([1]);
      expect(await harness.store.journal(run, '0', 10)).toHaveLength(1);
    });

    it('reports divergence if the run is at an older version', async () => {
      await harness.store.commit(commitAt(0));

      expect(await harness.store.commit(commitAt(1 + 1))).toEqual({ type: 'diverged' });
      expect(await harness.store.commit({ ...commitAt(3), run: 'run_unknown' })).toEqual({ type: 'diverged' });
    });

    it('reports divergence if another commit made the same version', async () => {
      await harness.store.commit(commitAt(0));

      expect(await harness.store.commit({ ...commitAt(1), nonce: 'lost' })).toEqual({ type: 'diverged' });
    });

    it('reports divergence if another commit made the known version and others followed', async () => {
      await harness.store.commit(commitAt(0));
      await harness.store.commit(commitAt(1));

      expect(await harness.store.commit({ ...commitAt(1), nonce: 'lost', next: 'mine' })).toEqual({ type: 'diverged' });
    });

    it('succeeds for one of many concurrent writers', async () => {
      await harness.store.commit(commitAt(0));

      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 === 0 ? harness.store : harness.other).commit({ ...commitAt(1), next: `x${index}` }),
        ),
      );

      expect(results.filter(({ type }) => type === 'committed')).toHaveLength(1);
      expect(results.filter(({ type }) => type === 'behind')).toHaveLength(19);
    });

    it('changes no other run', async () => {
      await harness.store.commit(commitAt(0, { writes: [set('tally/x', 1)] }));
      await harness.store.commit(commitAt(0, { run: 'run_10', writes: [set('tally/x', 2)] }));

      expect((await harness.loaded()).state.get('tally/x')).toBe(1);
    });
  });
}
