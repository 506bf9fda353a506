import type { RunQuery, RunScope, RunSummary } from '@millrace/runtime';
import { describe, expect, it } from 'vitest';
import type { StoreHarness } from './store-harness.ts';
import { commitAt, summaryOf } from './store-harness.ts';

/** Defines the contract tests of a store for the lists of its runs. */
export function runListContract(harness: StoreHarness): void {
  const start = async (run: string, startedAt: number, more: Partial<RunSummary> = {}): Promise<RunSummary> => {
    const summary = { ...summaryOf(run, startedAt), ...more };
    await harness.store.commit(commitAt(0, { run, summary }));
    return summary;
  };
  const move = async (before: RunSummary, status: RunSummary['status']): Promise<void> => {
    const summary = { ...before, status };
    await harness.store.commit(commitAt(1, { run: before.run, summary, formerly: before.status }));
  };
  const idsOf = async (query: Partial<RunQuery>): Promise<string[]> =>
    (await harness.other.runs({ limit: 100, ...query })).runs.map(({ run }) => run);
  /** All pages of a list, one after the other. */
  const pages = async (query: RunQuery): Promise<string[][]> => {
    const { runs, next } = await harness.other.runs(query);
    const ids = runs.map(({ run }) => run);
    return next === undefined ? [ids] : [ids, ...(await pages({ ...query, after: next }))];
  };

  describe('lists of runs', () => {
    it('shows the newest first, each with its last summary', async () => {
      const a = await start('run_a', 100);
      await start('run_b', 200);
      await start('run_c', 50);
      await harness.store.commit(
        commitAt(1, {
          run: 'run_a',
          summary: { ...a, status: 'completed', finishedAt: 300 },
          formerly: 'running',
        }),
      );
      await harness.store.commit(commitAt(2, { run: 'run_a' }));

      const { runs, next } = await harness.other.runs({ limit: 2 });

      expect(runs).toEqual([summaryOf('run_b', 200), { ...a, status: 'completed', finishedAt: 300 }]);
      expect(next).toEqual({ run: 'run_a', startedAt: 100 });
      expect(await idsOf({ limit: 0 })).toEqual([]);
    });

    it('shows a run under its present status', async () => {
      const a = await start('run_a', 1);
      await start('run_b', 2);
      await move(a, 'waiting');

      expect(await idsOf({ status: 'running' })).toEqual(['run_b']);
      expect(await idsOf({ status: 'waiting' })).toEqual(['run_a']);
    });

    it('counts the runs of workflows and names the newest of each', async () => {
      await start('run_a', 10, { workflow: 'poem' });
      await start('run_b', 20, { workflow: 'poem' });
      await start('run_c', 15, { workflow: 'prose' });

      expect(await harness.other.runsOf(['prose', 'nothing', 'poem'])).toEqual([
        { count: 1, newest: { run: 'run_c', startedAt: 15 } },
        { count: 0 },
        { count: 2, newest: { run: 'run_b', startedAt: 20 } },
      ]);
      expect(await harness.other.runsOf(['poem'], 'acme')).toEqual([{ count: 0 }]);
    });

    it('finds runs by workflow, tag and time, and by all of these', async () => {
      const a = await start('run_a', 10, { workflow: 'poem', tags: ['x', 'y'] });
      await start('run_b', 20, { workflow: 'poem', tags: ['x'] });
      await start('run_c', 30, { workflow: 'prose', tags: ['x'] });
      await move(a, 'failed');

      expect(await idsOf({ workflow: 'poem' })).toEqual(['run_b', 'run_a']);
      expect(await idsOf({ tag: 'y' })).toEqual(['run_a']);
      expect(await idsOf({ tag: 'x', workflow: 'poem', status: 'running' })).toEqual(['run_b']);
      expect(await idsOf({ since: 20 })).toEqual(['run_c', 'run_b']);
      expect(await idsOf({ until: 20 })).toEqual(['run_a']);
      expect(await idsOf({ tag: 'x', since: 15, until: 30 })).toEqual(['run_b']);
      expect(await idsOf({ tag: 'z' })).toEqual([]);
    });

    it('finds runs with open questions, also after they have changed', async () => {
      const a = await start('run_a', 1, { workflow: 'poem' });
      await start('run_b', 2);
      await start('acme~run_c', 3, { asks: true });
      await harness.store.commit(commitAt(1, { run: 'run_a', summary: { ...a, asks: true }, asking: 'began' }));

      expect(await idsOf({ asks: true })).toEqual(['run_a']);
      expect(await idsOf({ asks: true, workflow: 'poem' })).toEqual(['run_a']);
      expect(await idsOf({ asks: true, workflow: 'prose' })).toEqual([]);

      const summary = { ...a, status: 'completed' } as const;
      await harness.store.commit(commitAt(2, { run: 'run_a', summary, formerly: 'running', asking: 'ended' }));
      expect(await idsOf({ asks: true })).toEqual([]);
    });

    it('finds runs of several statuses in the order of the list, over pages', async () => {
      const made: RunSummary[] = [];
      for (let at = 1; at <= 9; at++) made.push(await start(`run_${at}`, Math.ceil(at / 2)));
      for (const at of [0, 3, 4, 8]) await move(made[at] as RunSummary, 'failed'); // all of them were made above
      for (const at of [1, 2, 7]) await move(made[at] as RunSummary, 'cancelled');
      const query = { status: ['failed', 'cancelled'] as const, limit: 3 };

      expect(await pages(query)).toEqual([['run_9', 'run_8', 'run_5'], ['run_4', 'run_3', 'run_2'], ['run_1']]);
      expect(await idsOf({ status: ['failed', 'failed'] })).toEqual(['run_9', 'run_5', 'run_4', 'run_1']);
    });

    it('finds runs by the beginnings of ids, titles, tags and workflows, ignoring case', async () => {
      await start('acme~run_a', 1, {
        title: 'An article about the Library',
        tags: ['nightly'],
        workflow: 'review-loop',
      });
      await start('acme~run_b', 2, { title: 'Ünder the sea', workflow: 'poem' });
      const search = (q: string) => idsOf({ tenant: 'acme', q });

      expect(await search('run_a')).toEqual(['acme~run_a']);
      expect(await search('RUN_')).toEqual(['acme~run_b', 'acme~run_a']);
      expect(await search('lib art')).toEqual(['acme~run_a']);
      expect(await search('night review')).toEqual(['acme~run_a']);
      expect(await search('ünd')).toEqual(['acme~run_b']);
      expect(await search('rary')).toEqual([]);
      expect(await search('lib poem')).toEqual([]);
      // A search without a word finds nothing, rather than everything.
      for (const symbols of ['!!!', '"', '\u200b', '🙂']) expect(await search(symbols)).toEqual([]);
      expect((await harness.other.runs({ tenant: 'acme', q: 'poem', limit: 10 })).looked).toBe(2);
    });

    it('finds the replays and forks of a run, and the runs of a version', async () => {
      await start('acme~run_a', 1, { version: 'one' });
      await start('acme~run_b', 2, { version: 'two', origin: { type: 'replay', of: 'acme~run_a' } });
      await start('acme~run_c', 3, { version: 'two', origin: { type: 'fork', of: 'acme~run_a' } });
      await start('acme~run_d', 4, { origin: { type: 'batch', of: 'acme~run_a' } });

      expect(await idsOf({ tenant: 'acme', of: 'acme~run_a' })).toEqual(['acme~run_c', 'acme~run_b']);
      expect(await idsOf({ tenant: 'acme', of: 'acme~run_b' })).toEqual([]);
      expect(await idsOf({ tenant: 'acme', version: 'two' })).toEqual(['acme~run_c', 'acme~run_b']);
    });

    it('counts runs by status, of a workflow, a tag and a time', async () => {
      const a = await start('run_a', 10, { workflow: 'poem', tags: ['x'] });
      await start('run_b', 20, { workflow: 'poem' });
      await start('run_c', 30, { workflow: 'prose', tags: ['x'] });
      await start('acme~run_d', 40);
      await harness.store.commit(
        commitAt(1, {
          run: 'run_a',
          summary: { ...a, status: 'waiting', asks: true },
          formerly: 'running',
          asking: 'began',
        }),
      );
      const count = (scope: RunScope) => harness.other.countRuns(scope);

      expect(await count({})).toEqual({ byStatus: { running: 2, waiting: 1 }, asks: 1, capped: false });
      expect(await count({ since: 20, until: 30 })).toEqual({ byStatus: { running: 1 }, asks: 0, capped: false });
      expect(await count({ workflow: 'poem' })).toEqual({
        byStatus: { running: 1, waiting: 1 },
        asks: 1,
        capped: false,
      });
      expect(await count({ tag: 'x', workflow: 'prose' })).toEqual({
        byStatus: { running: 1 },
        asks: 0,
        capped: false,
      });
      expect(await count({ tag: 'x', until: 20 })).toEqual({ byStatus: { waiting: 1 }, asks: 1, capped: false });
      expect(await count({ tenant: 'acme' })).toEqual({ byStatus: { running: 1 }, asks: 0, capped: false });
    });

    it('returns each run once over all pages, also runs that started together', async () => {
      for (const name of ['a', 'b', 'c', 'd', 'e']) await start(`run_${name}`, name < 'd' ? 7 : 8);

      expect(await pages({ limit: 2 })).toEqual([['run_e', 'run_d'], ['run_c', 'run_b'], ['run_a']]);
      expect(await pages({ limit: 5 })).toEqual([['run_e', 'run_d', 'run_c', 'run_b', 'run_a']]);
    });

    it('shows a tenant its own runs only', async () => {
      await start('run_a', 1, { workflow: 'poem', tags: ['x'] });
      await start('acme~run_a', 2, { workflow: 'poem', tags: ['x'] });
      await start('acme2~run_a', 3);

      expect(await idsOf({})).toEqual(['run_a']);
      expect(await idsOf({ tenant: 'acme' })).toEqual(['acme~run_a']);
      expect(await idsOf({ tenant: 'acme', tag: 'x', workflow: 'poem', status: 'running' })).toEqual(['acme~run_a']);
      expect(await idsOf({ tenant: 'acme2', tag: 'x' })).toEqual([]);
    });
  });
}
