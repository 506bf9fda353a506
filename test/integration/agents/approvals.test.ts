import { fileURLToPath } from 'node:url';
import type { EventOf, EventType, JournalEntry, RunId } from '@millrace/core';
import { defineTool, textOf } from '@millrace/core';
import type { RunDescription, Task } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
// biome-ignore lint/correctness/useImportExtensions: a program for node, with its types in a file beside it.
import { createServer } from '../../support/fakes/mcp-server.mjs';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveMcp } from '../../support/http/mcp-http.ts';
import { audit, journalOf } from '../../support/runs/audit.ts';
import { onBothStores } from '../../support/runs/both-stores.ts';
import type { Stage } from '../../support/runs/stage.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { caretaking, ended } from '../../support/runs/waits.ts';

interface Transfer {
  readonly to: string;
  readonly amount: number;
}

/** Calls of `transfer` that were made. */
const made: Transfer[] = [];
const transfer = defineTool<Transfer>({
  name: 'transfer',
  description: 'Transfers money.',
  parameters: z.object({ to: z.string(), amount: z.number() }),
  effect: 'once',
  execute({ to, amount }) {
    made.push({ to, amount });
    return `transferred ${amount} to ${to}`;
  },
});
const note = defineTool<{ word: string }>({
  name: 'note',
  description: 'Notes a word.',
  parameters: z.object({ word: z.string() }),
  execute: ({ word }) => `noted ${word}`,
});
const extensions = { tools: [transfer, note] };
beforeEach(() => {
  made.length = 0;
});

let calls = 0;
const call = (name: string, args: unknown) => ({ name, arguments: args, id: `c${++calls}` });
const pay = (amount: number, to = 'bob') => call('transfer', { to, amount });

const askAbove100 = '[{tool: transfer, when: {path: amount, above: 100}, do: ask}]';

const repliesWith = (wanted: readonly unknown[]) => ({
  rules: [
    { when: { last_role: 'tool' }, reply: '{last}' },
    { when: {}, reply: { tool_calls: wanted } },
  ],
});

/** An agent whose model makes these calls at once, and then repeats the last result. */
const document = (wanted: readonly unknown[], policy = askAbove100, graph = '') => `
graph:
  id: bank
  ${graph}
  nodes:
    - id: A
      type: agent
      config:
        provider: scripted
        name: m
        params: ${JSON.stringify(repliesWith(wanted))}
        tooling:
          - {type: function, config: {tools: [{name: transfer}, {name: note}]}, policy: ${policy}}
`;

const of = <T extends EventType>(journal: readonly JournalEntry[], type: T): readonly EventOf<T>[] =>
  journal.flatMap(({ event }) => (event.type === type ? [event as EventOf<T>] : []));

/** Starts a run and waits until so many calls are asked about. */
async function start(stage: Stage, text: string, questions = 1): Promise<{ run: RunId; tasks: readonly Task[] }> {
  const run = await stage.runtime.runs.start({ workflow: workflowIn(text, stage.vocabulary), input: 'pay' });
  return { run, tasks: await asked(stage, run, questions) };
}

async function asked(stage: Stage, run: RunId, questions = 1): Promise<readonly Task[]> {
  let seen = 0;
  for await (const { event } of stage.runtime.runs.watch(run, '0', AbortSignal.timeout(60_000)))
    if (event.type === 'tool.asked' && ++seen === questions) return stage.runtime.runs.tasks(run);
  throw new Error(`run ${run} has ended after ${seen} questions`);
}

const place = ({ activation, call: one }: Task) => ({ ...one, activation, place: one?.place ?? 0 });
const decide = ({ runtime }: Stage, task: Task, decision: Parameters<typeof runtime.runs.decide>[2]) =>
  runtime.runs.decide(task.run, place(task), decision);
const approve = { decision: 'approve', by: 'ann' } as const;

const output = ({ output: message }: RunDescription): string => (message === undefined ? '' : textOf(message));

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
        await code(runs.answer(run, 'a1', { message: { role: 'user', content: 'yes', source: 'p', keep: false } })),
        await code(decide(stage, second, { ...approve, hash: second.call?.hash })),
      ]).toEqual(['TASK_ANSWERED', 'APPROVAL_MISMATCH', 'TASK_UNKNOWN', 'ANSWER_INVALID', 'accepted']);
      await ended(stage, run);
      expect(made).toHaveLength(2);
    });

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
      const text = `
graph:
  id: two
  start: [A, B]
  end: [A, B]
  nodes:
${['A', 'B']
  .map((id) =>
    document([pay(500, id)])
      .split('  nodes:\n')[1]
      ?.replace('id: A', `id: ${id}`),
  )
  .join('')}`;
      const { run, tasks } = await start(stage, text, 2);
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
      const two = (policy?: string) => `
graph:
  id: two
  start: [A, B]
  end: [A, B]
  nodes:
${['A', 'B']
  .map((id) =>
    document([pay(200, id), pay(500, id)], id === 'A' ? policy : undefined)
      .split('  nodes:\n')[1]
      ?.replace('id: A', `id: ${id}`),
  )
  .join('')}`;
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

describe('a call that a policy denies', () => {
  const stage = openBeforeAll(() =>
    openStage({
      where: { local: true },
      extensions,
      toolPolicy: [{ tool: 'transfer', when: { path: 'to', equals: 'eve' }, do: 'deny', reason: 'Eve is blocked.' }],
    }),
  );

  it.each([
    [
      'by its entry',
      document([pay(1)], '[{tool: transfer, do: deny}]'),
      'a rule does not allow it (policy: transfer).',
    ],
    ['by its graph', document([pay(1)], '[]', 'tool_policy: [{tool: "tr*", do: deny, reason: "No."}]'), 'No.'],
    ['by the operator', document([pay(500, 'eve')], '[{do: allow}]'), 'Eve is blocked.'],
    ['by the operator, whatever else asks', document([pay(500, 'eve')]), 'Eve is blocked.'],
  ])('%s is not made, and the model is told', async (_by, text, reason) => {
    const { description } = await stage.run(text, 'pay');

    expect(output(description)).toBe(`Tool transfer was not called: ${reason}`);
    expect(made).toEqual([]);
  });

  it('by the operator is not made with the arguments of a person either', async () => {
    const { run, tasks } = await start(stage, document([pay(500)]));

    for (const task of tasks) await decide(stage, task, { ...approve, arguments: { to: 'eve', amount: 500 } });

    expect(output(await ended(stage, run))).toContain('Eve is blocked.');
    expect(made).toEqual([]);
  });

  it('is allowed by nobody else than the operator', async () => {
    const { description } = await stage.run(document([pay(50)]), 'pay');

    expect([output(description), made.length]).toEqual(['transferred 50 to bob', 1]);
  });
});

describe('a tool of an MCP server', () => {
  const token = 'hunter2-of-the-bank';
  const stage = openBeforeAll(() =>
    openStage({ where: { local: true }, secret: (name) => (name === 'BANK_TOKEN' ? token : undefined) }),
  );
  const program = fileURLToPath(new URL('../../support/fakes/mcp-server.mjs', import.meta.url));
  const http = openBeforeAll(() => serveMcp(createServer));
  const local = () => `mcp_local, config: {command: '${process.execPath}', args: ['${program}']}`;
  const remote = () => `mcp_remote, config: {server: '${http.url}?key=x', headers: {authorization: '\${BANK_TOKEN}'}}`;
  const greeting = (name: string, server: string) => `
graph:
  id: remote
  nodes:
    - id: A
      type: agent
      config:
        provider: scripted
        name: m
        params: ${JSON.stringify(repliesWith([call('my_greet', { name })]))}
        tooling:
          - {type: ${server}, prefix: my, policy: [{annotation: destructive, do: ask}]}
`;

  it('is called as it was approved', async () => {
    const { run, tasks } = await start(stage, greeting('Ann', local()));
    const [task] = tasks;
    if (task?.call === undefined) throw new Error('nobody is asked');
    expect(task.call).toMatchObject({ tool: 'greet', server: expect.stringContaining('mcp-server.mjs') });
    expect(JSON.parse(task.call.parameters)).toMatchObject({ required: ['name'] });

    await decide(stage, task, { ...approve, arguments: { name: 'Bob' } });

    expect(output(await ended(stage, run))).toMatch(/made with \{"name":"Bob"\}\.\n\nHello Bob/);
  });

  it('is shown without secrets, and called as it is shown', async () => {
    const { run, tasks } = await start(stage, greeting(`Ann ${token}`, remote()));
    const shown = tasks[0]?.call?.arguments ?? '';
    expect(tasks[0]?.call?.server).toBe(http.url);
    expect(shown).toMatch(/^\{"name":"Ann [^"]+"\}$/);
    expect(shown).not.toContain(token);

    for (const task of tasks) await decide(stage, task, approve);

    expect(output(await ended(stage, run))).toBe(`Hello ${JSON.parse(shown).name}`);
    expect(JSON.stringify(await journalOf(stage.runtime.store, run))).not.toContain(token);
  });
});
