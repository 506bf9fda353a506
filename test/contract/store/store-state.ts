import type { ListKey, RunRecord, Write } from '@millrace/core';
import { State } from '@millrace/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoreHarness } from './store-harness.ts';
import { append, commitAt, contents, odd, run, set, trim } from './store-harness.ts';

type WriteSize =
  | { readonly type: 'append' | 'trim'; readonly key: ListKey; readonly size: number }
  | { readonly type: 'set' | 'delete'; readonly size: number };

/** As many writes, or writes of as much, as was asked for; `mark` tells them from others. */
function writesOf(written: WriteSize, mark: number): readonly Write[] {
  const numbers = Array.from({ length: written.size }, (_, index) => index);
  switch (written.type) {
    case 'append':
      return [{ type: 'append', key: written.key, entries: [mark, ...numbers] }];
    case 'trim':
      return [trim(written.key, written.size)];
    case 'set':
      return numbers.map((number) => set(`result/s1/${number}`, mark));
    case 'delete':
      return numbers.map((number): Write => ({ type: 'delete', key: `result/s1/${number}` }));
  }
}

const record: RunRecord = {
  status: 'running',
  plan: 'p',
  segment: 1,
  startedAt: 1,
  nextActivation: 1,
  nextMessage: 1,
  nextScope: 1,
  nextArrival: 1,
  live: 1,
  waiting: 0,
  activations: 0,
  usage: { promptTokens: 1, completionTokens: 2, calls: 3 },
};

/** Defines the contract tests of a store for the state of a run. */
export function stateContract(harness: StoreHarness): void {
  describe('state', () => {
    it('tells whether and when a run has ended', async () => {
      const record = { status: 'running', plan: 'p', startedAt: 1, segment: 1, nextActivation: 1 } as const;
      expect(await harness.store.endOf(run)).toEqual({ type: 'absent' });
      await harness.write(set('run', record));
      expect(await harness.other.endOf(run)).toEqual({ type: 'live' });
      await harness.write(set('run', { ...record, status: 'failed', finishedAt: 70 }));

      expect(await harness.other.endOf(run)).toEqual({ type: 'ended', at: 70 });
    });

    it('loads exactly what was written', async () => {
      const writes: Write[] = [
        set('run', record),
        set('fired/s1', []),
        set(`node/s0/${odd}`, { runs: 1 }),
        set('tally/', 0),
        set('item/s0/3', null),
        set(`counters/s0/${odd}`, { count: 3 }),
        set('counters/s0/__proto__', 0),
        set(`timers/s0/${odd}`, 12.5),
        set(`counters/s7/${odd}`, ''),
        set('timers/s7/T', false),
        append(`recent/s0/${odd}`, { id: 'm0' }, { id: 'm1' }),
        append(`kept/s0/${odd}`, 'ü'),
        append(`recent/s7/${odd}`, 1),
        append(`pending/s4/s0/${odd}`, [1]),
        append('pending/s4/s0/s1/x', 1),
        append('pending/s4/s0/s1:x', 2),
        append('units/s3', 1, 2, 3),
        append(`outputs/s0/${odd}`, ''),
        append(`outputs/s2/${odd}`, null),
      ];
      const expected = new State();
      expected.apply(writes);

      const found = await harness.write(...writes);

      expect(contents(found)).toEqual(contents({ state: expected }));
    });

    it('removes what was deleted, of each kind', async () => {
      await harness.write(
        set('run', record),
        set('scope/s1', 1),
        set('counters/s0/A', 1),
        set('timers/s2/A', 1),
        append('recent/s0/A', 1),
      );

      const found = await harness.write(
        ...(['scope/s1', 'counters/s0/A', 'timers/s2/A'] as const).map((key): Write => ({ type: 'delete', key })),
        trim('recent/s0/A', 0),
      );

      expect(contents(found)).toEqual({ records: new Map([['run', record]]), lists: new Map() });
    });

    it('keeps the last of several writes to a record', async () => {
      await harness.write(set('scope/s1', 1), set('scope/s2', 1));

      const found = await harness.write(
        set('scope/s1', 2),
        { type: 'delete', key: 'scope/s1' },
        { type: 'delete', key: 'scope/s2' },
        set('scope/s2', 3),
      );

      expect(contents(found).records).toEqual(new Map([['scope/s2', 3]]));
    });

    it('appends to lists and trims them to their newest entries', async () => {
      await harness.write(append('recent/s0/A', 1, 2, 3));

      const found = await harness.write(trim('recent/s0/A', 2), append('recent/s0/A', 4), trim('recent/s0/B', 5));

      expect(contents(found).lists).toEqual(new Map([['recent/s0/A', [2, 3, 4]]]));
    });

    it('empties a list and fills it again in one commit', async () => {
      await harness.write(append('kept/s0/A', 1, 2));

      const found = await harness.write(trim('kept/s0/A', 0), append('kept/s0/A', 3));

      expect(contents(found).lists).toEqual(new Map([['kept/s0/A', [3]]]));
    });

    it('accepts 60,000 entries, records and bodies in one commit', async () => {
      const count = 60_000;
      const numbers = Array.from({ length: count }, (_, index) => index);
      const writes: Write[] = [
        { type: 'append', key: 'units/s1', entries: numbers },
        ...numbers.map((number) => set(`result/s1/${number}`, number)),
        ...numbers.slice(0, 1_000).map((number) => append(`recent/s0/${number}`, number)),
      ];
      const bodies = numbers.map((number) => ({
        id: `m${number}` as const,
        body: { role: 'user' as const, content: `${number}` },
      }));

      const first = await harness.store.commit(commitAt(0, { writes, bodies }));

      expect(first).toEqual({ type: 'committed', version: 1 });
      const { state } = await harness.loaded();
      expect(state.records.size).toBe(count);
      expect(state.get('result/s1/59999')).toBe(59_999);
      expect(state.list('units/s1')).toEqual(numbers);
      expect(state.list('recent/s0/999')).toEqual([999]);
      const read = await harness.other.bodies(
        run,
        bodies.map(({ id }) => id),
      );
      expect(read).toEqual(bodies.map(({ body }) => body));
    });

    it('has the same result however many entries a commit appends, sets and removes', async () => {
      // Around what fits into one command of a store that cuts long lists into several.
      const sizes = fc.constantFrom(0, 1, 2, 1999, 2000, 2001, 3999, 4000, 4001, 8001);
      const lists = fc.constantFrom<ListKey>('units/s1', 'recent/s0/A', 'kept/s0/A');
      const write = fc.oneof(
        fc.record({ type: fc.constant('append' as const), key: lists, size: sizes }),
        fc.record({ type: fc.constant('trim' as const), key: lists, size: sizes }),
        fc.record({ type: fc.constantFrom('set' as const, 'delete' as const), size: sizes }),
      );
      let version = 0;
      const expected = new State();
      await fc.assert(
        fc.asyncProperty(fc.array(write, { maxLength: 6 }), async (written) => {
          const writes = written.flatMap((one, at) => writesOf(one, version * 10 + at));
          expect((await harness.store.commit(commitAt(version, { writes, before: expected }))).type).toBe('committed');
          version++;
          expected.apply(writes);

          const found = await harness.loaded();

          expect(contents(found)).toEqual(contents({ state: expected }));
        }),
        { numRuns: 15, endOnFailure: true },
      );
    });

    it('returns an independent copy of the state', async () => {
      await harness.write(append('units/s1', 1));
      const mine = await harness.loaded();

      mine.state.apply([append('units/s1', 2), set('tally/A', 1)]);

      expect(contents(await harness.loaded())).toEqual({ records: new Map(), lists: new Map([['units/s1', [1]]]) });
    });

    it('loads the state of one commit while others commit', async () => {
      const { state: own } = await harness.write(set('tally/A', 0));
      const committing = (async () => {
        for (let version = 1; version <= 200; version += 1) {
          const writes = [
            set('tally/A', version),
            set('counters/s0/C', version),
            trim('recent/s0/A', 0),
            append('recent/s0/A', version),
            append(`recent/s0/${version}`, version),
          ];
          await harness.store.commit(commitAt(version, { writes, before: own }));
          own.apply(writes);
        }
      })();

      for (let round = 0; round < 20; round += 1) {
        const { state, version } = await harness.loaded();
        if (version === 1) continue;
        expect([
          state.get('tally/A'),
          state.get('counters/s0/C'),
          ...state.list('recent/s0/A'),
          state.lists.size,
        ]).toEqual(
          Array(3)
            .fill(version - 1)
            .concat(version),
        );
      }
      await committing;
    });
  });
}
