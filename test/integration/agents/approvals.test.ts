import type { Task } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import {
  approve,
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
import { audit, journalOf } from '../../support/runs/audit.ts';
import { onBothStores } from '../../support/runs/both-stores.ts';
import { caretaking, ended } from '../../support/runs/waits.ts';

beforeEach(() => {
  made.length = 0;
});

onBothStores(
  'a call that a policy asks about',
  (stage) => {
    it('is made once it is approved, and exactly as it was shown', async () => {
      const { run, tasks } = await start(stage, document([pay(500)]));
      const [task] = tasks;
      if (task?.call === undefined) throw new Error('nobody is asked');
      expect(task).toMatchObject({
        id: `${run}.a1.1`,
        node: 'A',
        wait: { kind: 'approval' },
        call: {
          tool: 'transfer',
          arguments: '{"amount":500,"to":"bob"}',
          rule: 'policy: transfer when amount above 100',
        },
      });
      expect([(await stage.runtime.runs.describe(run))?.status, made]).toEqual(['waiting', []]);

      await decide(stage, task, approve);
      const result = output(await ended(stage, run));

      expect([result, made]).toEqual(['transferred 500 to bob', [{ to: 'bob', amount: 500 }]]);
      const journal = await journalOf(stage.runtime.store, run);
      const { hash } = task.call;
      expect(of(journal, 'tool.decided')).toMatchObject([{ place: 1, decision: 'approve', by: 'ann', hash }]);
      expect(of(journal, 'step.started').filter(({ approval }) => approval !== undefined)).toMatchObject([
        { name: 'tool transfer', approval: hash },
      ]);
      expect(await audit(stage.runtime.store, run, stage.vocabulary)).toEqual([]);
    });

    it('is made with the arguments that a person puts in place, and its result says so', async () => {
      const { run, tasks } = await start(stage, document([pay(500)]));
      const [task] = tasks;
      if (task?.call === undefined) throw new Error('nobody is asked');

      await decide(stage, task, { ...approve, arguments: { to: 'bob', amount: 50 } });
      const result = output(await ended(stage, run));

      expect(made).toEqual([{ to: 'bob', amount: 50 }]);
      expect(result).toContain(
        'A person has changed the arguments of this call. It was made with {"amount":50,"to":"bob"}.',
      );
      expect(result).toContain('transferred 50 to bob');
      const journal = await journalOf(stage.runtime.store, run);
      const [decided] = of(journal, 'tool.decided');
      expect(decided?.hash).not.toBe(task.call.hash);
      expect(decided?.arguments).toBe('{"amount":50,"to":"bob"}');
      // The conversation keeps the call of the model.
      const messages = await stage.runtime.runs.bodies(
        run,
        of(journal, 'step.completed').map(({ result: id }) => id),
      );
      expect(JSON.stringify(messages)).toContain('amount\\":500');
    });

    it('is not made when a person rejects it, and the model is told why', async () => {
      const { run, tasks } = await start(stage, document([pay(500)]));

      for (const task of tasks) await decide(stage, task, { decision: 'reject', reason: 'Bob has been paid.' });

      expect(output(await ended(stage, run))).toBe(
        'Tool transfer was not called: a person has rejected it: Bob has been paid.',
      );
      expect(made).toEqual([]);
    });

    it('counts as rejected when nobody decides in time', async () => {
      caretaking(stage);
      const policy = '[{tool: transfer, do: ask, expires: 300ms}]';
      const { run, tasks } = await start(stage, document([pay(1)], policy));

      expect(output(await ended(stage, run))).toContain('nobody did in time');
      expect([made, tasks.length]).toEqual([[], 1]);
      expect(of(await journalOf(stage.runtime.store, run), 'tool.decided')).toMatchObject([{ decision: 'expire' }]);
      await expect(decide(stage, tasks[0] as Task, approve)).rejects.toMatchObject({ code: 'TASK_UNKNOWN' });
    });

    it('waits together with the others of its reply, and holds back what comes after it', async () => {
      const text = document([call('note', { word: 'x' }), pay(200), pay(50), pay(300, 'eve')]);
      const { run, tasks } = await start(stage, text, 2);
      const [first, second] = tasks;
      if (first === undefined || second === undefined) throw new Error('nobody is asked');
      expect(tasks.map(({ id }) => id)).toEqual([`${run}.a1.2`, `${run}.a1.4`]);

      await decide(stage, second, { decision: 'reject' });
      expect((await stage.runtime.runs.tasks(run)).map(({ id }) => id)).toEqual([first.id]);
      await decide(stage, first, approve);
      await ended(stage, run);

      expect(made.map(({ amount }) => amount)).toEqual([200, 50]);
      const names = of(await journalOf(stage.runtime.store, run), 'step.started').map(({ name }) => name);
      expect(names.filter((name) => name.startsWith('tool'))).toEqual([
        'tool note',
        'tool transfer',
        'tool transfer',
        'tool transfer',
      ]);
    });

    it('refuses forged, late and second decisions', async () => {
      const { run, tasks } = await start(stage, document([pay(200), pay(300)]), 2);
      const [first, second] = tasks;
      if (first === undefined || second === undefined) throw new Error('nobody is asked');
      const { runs } = stage.runtime;
      const code = (promise: Promise<void>) =>
        promise.then(
          () => 'accepted',
          (error: { code: string }) => error.code,
        );

      await decide(stage, first, approve);

      expect([
        await code(decide(stage, first, { decision: 'reject' })),
        await code(decide(stage, second, { ...approve, hash: first.call?.hash })),
        await code(runs.decide(run, { activation: 'a1', place: 3 }, approve)),
        await code(
          runs.answer(
            run,
            { activation: 'a1' },
            { message: { role: 'user', content: 'yes', source: 'p', keep: false } },
          ),
        ),
        await code(decide(stage, second, { ...approve, hash: second.call?.hash })),
      ]).toEqual(['TASK_ANSWERED', 'APPROVAL_MISMATCH', 'TASK_UNKNOWN', 'ANSWER_INVALID', 'accepted']);
      await ended(stage, run);
      expect(made).toHaveLength(2);
    });

    it('waits without a worker, and is made once by whichever comes', async () => {
      const { runtime, vocabulary } = stage;
      const { run, tasks } = await start(stage, document([pay(200), pay(300)]), 2);
      const second = startWorker({
        runtime,
        vocabulary,
        concurrency: 2,
        name: 'second',
        log: pino({ level: 'silent' }),
      });
      onTestFinished(() => second.close());
      expect(of(await journalOf(runtime.store, run), 'activation.suspended')).toHaveLength(1);

      await Promise.all(tasks.map((task) => decide(stage, task, approve)));
      await ended(stage, run);

      expect(made.map(({ amount }) => amount)).toEqual([200, 300]);
    });

    it('is asked about for each unit of a map', async () => {
      const text = `
graph:
  id: many
  nodes:
    - {id: L, type: literal, config: {content: "[1, 2, 3]"}}
${document([pay(500)]).split('  nodes:\n')[1]}
  edges:
    - {from: L, to: A, dynamic: {type: map, split: {type: json_array}}}
`;
      const { run, tasks } = await start(stage, text, 3);
      expect(new Set(tasks.map(({ activation }) => activation)).size).toBe(3);

      for (const [at, task] of tasks.entries()) await decide(stage, task, at === 1 ? { decision: 'reject' } : approve);
      await ended(stage, run);

      expect(made).toHaveLength(2);
    });
  },
  extensions,
);
