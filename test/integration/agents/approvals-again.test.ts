import type { Task } from '@millrace/runtime';
import { beforeEach, expect, it } from 'vitest';
import {
  approve,
  asked,
  call,
  decide,
  document,
  extensions,
  made,
  of,
  output,
  pay,
  start,
} from '../../support/runs/approvals.ts';
import { journalOf } from '../../support/runs/audit.ts';
import { onBothStores } from '../../support/runs/both-stores.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { ended } from '../../support/runs/waits.ts';

/** Returns a graph of two nodes that are independent of each other, each as in the graph of a node. */
const twoNodes = (documentOf: (id: string) => string): string => `
graph:
  id: two
  start: [A, B]
  end: [A, B]
  nodes:
${['A', 'B'].map((id) => documentOf(id).split('  nodes:\n')[1]?.replace('id: A', `id: ${id}`)).join('')}`;

beforeEach(() => {
  made.length = 0;
});

onBothStores(
  'a call that a policy asks about, in a run that is forked or begins again',
  (stage) => {
    it('asks again in a fork, and is read in a replay', async () => {
      const { run, tasks } = await start(stage, document([pay(500)]));
      const fork = await stage.runtime.runs.fork(run, { at: 'a1' });
      // The first one is part of its history.
      const [again] = await asked(stage, fork, 2);
      if (again === undefined) throw new Error('the fork does not ask');
      expect(again.call?.hash).not.toBe(tasks[0]?.call?.hash);
      for (const task of tasks) await decide(stage, task, approve);
      await ended(stage, run);
      expect(made).toHaveLength(1);
      await decide(stage, again, { decision: 'reject' });
      expect(output(await ended(stage, fork))).toContain('rejected');

      const replay = await stage.runtime.runs.replay(run);
      expect(output(await ended(stage, replay))).toBe('transferred 500 to bob');
      const late = await stage.runtime.runs.fork(run, { at: 'a1' });
      const [third] = await asked(stage, late, 2);

      expect(made).toHaveLength(1);
      expect(of(await journalOf(stage.runtime.store, replay), 'tool.asked')).toEqual([]);
      expect(third?.call?.hash).not.toBe(again.call?.hash);
      await stage.runtime.runs.cancel(late, 'done');
    });

    it('of another activation asks again in a fork, too', async () => {
      const { run, tasks } = await start(
        stage,
        twoNodes((id) => document([pay(500, id)])),
        2,
      );
      const fork = await stage.runtime.runs.fork(run, { at: 'a1' });
      const again = await asked(stage, fork, 4);
      const hashes = (questions: readonly Task[]) => questions.map(({ call: one }) => one?.hash ?? '');
      expect(hashes(again).filter((hash) => hashes(tasks).includes(hash))).toEqual([]);

      for (const task of again) await decide(stage, task, approve);
      await ended(stage, fork);
      expect(made).toHaveLength(2);
      await stage.runtime.runs.cancel(run, 'done');
    });

    it('of another activation is not asked about in a fork whose policy allows it', async () => {
      const two = (policy?: string) =>
        twoNodes((id) => document([pay(200, id), pay(500, id)], id === 'A' ? policy : undefined));
      const { run } = await start(stage, two(), 4);
      const looser = workflowIn(two('[{tool: transfer, when: {path: amount, above: 300}, do: ask}]'), stage.vocabulary);

      const fork = await stage.runtime.runs.fork(run, { at: 'a2', plan: { workflow: looser } });
      await asked(stage, fork, 4 + 3);

      const tasks = await stage.runtime.runs.tasks(fork);
      expect(tasks.map(({ id }) => id)).toEqual([`${fork}.a1.2`, `${fork}.a2.1`, `${fork}.a2.2`]);
      for (const task of tasks) await decide(stage, task, approve);
      await ended(stage, fork);
      expect(made).toHaveLength(4);
      await stage.runtime.runs.cancel(run, 'done');
    });

    it('is asked about again when a retry makes it again', async () => {
      const { runs } = stage.runtime;
      const lost = document([call('lose', { to: 'bob' })], '[{tool: lose, do: ask}], on_unknown: {lose: fail}');
      const { run, tasks } = await start(stage, lost);
      for (const task of tasks) await decide(stage, task, approve);
      expect((await ended(stage, run)).error?.code).toBe('TOOL_OUTCOME_UNKNOWN');

      await runs.control(run, 'retry');
      const [again] = await asked(stage, run, 2);
      expect(again).toMatchObject({ id: `${run}.a1.1-2`, call: { rule: expect.stringContaining('was made before') } });
      await expect(decide(stage, tasks[0] as Task, approve)).rejects.toMatchObject({ code: 'TASK_UNKNOWN' });
      for (const task of await runs.tasks(run)) await decide(stage, task, { decision: 'reject' });

      expect(output(await ended(stage, run))).toContain('rejected');
      expect(made).toEqual([{ to: 'bob', amount: 0 }]);
    });

    it('is withdrawn with its run, and asked about again when the run is resumed', async () => {
      const { run, tasks } = await start(stage, document([pay(500)]));
      await stage.runtime.runs.stop(run, { note: 'for now', inFlight: 'drain' });
      await ended(stage, run);
      await expect(decide(stage, tasks[0] as Task, approve)).rejects.toMatchObject({ code: 'RUN_ENDED' });

      await stage.runtime.runs.resume(run);
      for (const task of await stage.runtime.runs.tasks(run)) await decide(stage, task, approve);
      await ended(stage, run);

      expect(made).toHaveLength(1);
    });
  },
  extensions,
);
