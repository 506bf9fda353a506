import { randomUUID } from 'node:crypto';
import { Millrace } from '@millrace/client';
import type { Scope } from '@millrace/core';
import { CallLost, defineTool } from '@millrace/core';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { startWebhookReceiver } from '../../support/http/webhook-receiver.ts';

const save = (path: string) => ({ name: 'save_file', arguments: { path, content: 'x' }, id: path });

/** An agent that makes calls at once, and then repeats the last result. */
const agent = (calls: readonly unknown[], tooling: string) => `
graph:
  id: calling
  nodes:
    - id: Clerk
      type: agent
      config:
        provider: scripted
        name: m
        params: ${JSON.stringify({
          rules: [
            { when: { last_role: 'tool' }, reply: '{last}' },
            { when: {}, reply: { tool_calls: calls } },
          ],
        })}
        tooling:
          - ${tooling}
`;

/** An agent that saves two files, each of which a person must approve. */
const saving = agent(
  [save('a.txt'), save('b.txt')],
  '{type: function, config: {tools: [{name: save_file}]}, policy: [{tool: save_file, do: ask}]}',
);

/** A tool whose first call does not answer. */
const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  parameters: z.object({}),
  effect: 'once',
  execute() {
    paid++;
    if (paid === 1) throw new CallLost('the connection is gone');
    return 'paid';
  },
});
let paid = 0;

const paying = agent(
  [{ name: 'pay', arguments: {}, id: 'c1' }],
  '{type: function, config: {tools: [{name: pay}]}, policy: [{tool: pay, do: ask}], on_unknown: {pay: ask}}',
);

const api = openBeforeAll(() =>
  serveApi({ extensions: { tools: [pay] }, webhooks: { allow: ['loopback'], delayMs: 5 } }),
);
let ann: Millrace;
let bob: Millrace;
let reader: Millrace;
let answerer: Millrace;

beforeEach(async () => {
  paid = 0;
  const tenant = `t-${randomUUID().slice(0, 8)}`;
  const clientOf = async (name: string, ...scopes: Scope[]) => {
    const { secret } = await api.keys.create({ tenant, scopes, name });
    return new Millrace({ url: api.orchestrator.url, apiKey: secret });
  };
  [ann, bob, reader, answerer] = await Promise.all([
    clientOf('Ann', 'admin', 'run', 'read', 'answer'),
    clientOf('Bob', 'run', 'read', 'answer'),
    clientOf('Reader', 'read'),
    clientOf('Answerer', 'answer'),
  ]);
});

/** Starts a run, and returns the ids of its questions. */
async function asked(client = ann): Promise<readonly [string, string]> {
  const run = await client.runs.start({ yaml: saving }, { input: 'Save.' });
  await expect.poll(async () => (await run.tasks().page()).data).toHaveLength(2);
  return [`${run.id}.a1.1`, `${run.id}.a1.2`];
}

const runOf = (task: string) => ann.runs.get(task.split('.')[0] ?? '');
const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'accepted',
    (error: { code: string }) => error.code,
  );

describe('a question about a call of a tool', () => {
  it('shows the exact call, one question for each', async () => {
    const [first, second] = await asked();

    const task = await ann.tasks.get(first);
    expect(task).toMatchObject({
      id: first,
      node: 'Clerk',
      prompt: 'May "Clerk" call "save_file"?',
      status: 'open',
      approval: {
        tool: 'save_file',
        arguments: '{"content":"x","path":"a.txt"}',
        rule: 'policy: save_file',
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        parameters: expect.objectContaining({ type: 'object' }),
      },
    });
    expect(task.approval).not.toHaveProperty('server');
    const page = await ann.tasks.list({ limit: 1 }).page();
    expect(page.data.map(({ id }) => id)).toEqual([first]);
    const rest = await ann.tasks.list({ limit: 1 }).page(page.nextCursor ?? '');
    expect(rest.data.map(({ id }) => id)).toEqual([second]);
  });

  it('takes a decision as data, and nothing else', async () => {
    const [task] = await asked();
    const { approval } = await ann.tasks.get(task);
    const answer = (data: Record<string, unknown>) => code(ann.tasks.answer(task, { data }));

    expect([
      await code(ann.tasks.answer(task, 'approve')),
      await code(ann.tasks.answer(task.replace(/\.1$/, ''), 'approve')),
      await answer({}),
      await answer({ decision: 'perhaps' }),
      await answer({ decision: 'approve', argumentz: {} }),
      await answer({ decision: 'reject', arguments: { path: 'c.txt', content: 'y' } }),
      await answer({ decision: 'approve', arguments: { path: 7, content: 'y' } }),
      await answer({ decision: 'approve', arguments: { content: 'y' } }),
      await answer({ decision: 'approve', hash: 'f'.repeat(64) }),
      await code(ann.tasks.answer(task.replace(/1$/, '9'), { data: { decision: 'approve' } })),
    ]).toEqual([...Array(8).fill('ANSWER_INVALID'), 'APPROVAL_MISMATCH', 'TASK_UNKNOWN']);
    expect(await answer({ decision: 'approve', hash: approval?.hash })).toBe('accepted');
  });

  it('is decided on once, and says by whom', async () => {
    const [first, second] = await asked();
    await bob.tasks.answer(first, { data: { decision: 'approve', arguments: { path: 'c.txt', content: 'y' } } });
    const late = ann.tasks.answer(first, { data: { decision: 'reject' } });
    await expect(late).rejects.toMatchObject({
      code: 'TASK_ANSWERED',
      message: 'It has been decided on call 1 of activation a1 already by Bob: approve.',
    });
    expect((await runOf(first).describe()).tasks.map(({ id }) => id)).toEqual([second]);

    await ann.tasks.answer(second, { data: { decision: 'reject', reason: 'Not this one.' } });
    await runOf(first).result();

    expect((await runOf(first).artifacts()).map(({ path }) => path)).toEqual(['c.txt']);
    expect(await ann.tasks.get(second)).toMatchObject({
      status: 'closed',
      answer: 'reject: Not this one.',
      answeredBy: 'Ann',
      approval: { arguments: '{"content":"x","path":"b.txt"}' },
    });
    expect(await code(ann.tasks.answer(first, { data: { decision: 'approve' } }))).toBe('TASK_ANSWERED');
  });

  it('is answered only by a key that may answer, and read only by one that may read', async () => {
    const [task] = await asked();
    const approve = { data: { decision: 'approve' } };

    expect(await code(reader.tasks.answer(task, approve))).toBe('SCOPE_MISSING');
    expect(await code(answerer.tasks.get(task))).toBe('SCOPE_MISSING');
    const claimed = await answerer.tasks.claim(task, { assignee: 'Answerer' });
    expect([claimed.status, claimed.approval, claimed.input]).toEqual(['claimed', undefined, '']);
    expect(await code(bob.tasks.answer(task, approve))).toBe('TASK_CLAIMED');
    expect(await code(answerer.tasks.answer(task, approve))).toBe('accepted');
  });

  it('has an id of its own when the call is to be made again, so that an old answer does not count', async () => {
    const approve = { data: { decision: 'approve' } };
    const run = await ann.runs.start({ yaml: paying }, { input: 'Pay.' });
    const open = async (id: string) =>
      expect.poll(async () => (await run.tasks().page()).data.map((task) => task.id)).toEqual([`${run.id}.${id}`]);
    await open('a1.1');
    await ann.tasks.answer(`${run.id}.a1.1`, approve);
    await open('a1-2');
    await ann.tasks.answer(`${run.id}.a1-2`, 'did not happen');
    await open('a1.1-2');

    expect(await code(ann.tasks.answer(`${run.id}.a1.1`, approve))).toBe('TASK_ANSWERED');
    expect([paid, await ann.tasks.get(`${run.id}.a1.1`)]).toMatchObject([1, { status: 'closed', answer: 'approve' }]);
    const claimed = await bob.tasks.claim(`${run.id}.a1.1-2`, { assignee: 'Bob' });
    expect([claimed.id, claimed.status]).toEqual([`${run.id}.a1.1-2`, 'claimed']);
    expect(await code(ann.tasks.answer(claimed.id, approve))).toBe('TASK_CLAIMED');
    await bob.tasks.answer(claimed.id, approve);

    expect([(await run.result()).output, paid]).toEqual(['paid', 2]);
  });

  it('is listed once and announced once, whatever was asked before by the same activation', async () => {
    const receiver = await startWebhookReceiver(() => 200);
    onTestFinished(() => receiver.close());
    await ann.webhooks.create({ url: `${receiver.url}/tasks`, events: ['task.created'] });
    const approve = { data: { decision: 'approve' } };
    const listed = async () => (await ann.tasks.list().page()).data.map(({ id }) => id);
    const [first, second] = await Promise.all([
      ann.runs.start({ yaml: paying }, { input: 'Pay.' }),
      ann.runs.start({ yaml: paying }, { input: 'Pay.' }),
    ]);
    await expect.poll(async () => (await listed()).sort()).toEqual([`${first.id}.a1.1`, `${second.id}.a1.1`].sort());
    await ann.tasks.answer(`${first.id}.a1.1`, approve);
    await expect.poll(listed).toEqual([`${second.id}.a1.1`, `${first.id}.a1-2`]);
    await ann.tasks.answer(`${first.id}.a1-2`, 'did not happen');
    const inOrder = [`${second.id}.a1.1`, `${first.id}.a1.1-2`];
    await expect.poll(listed).toEqual(inOrder);

    const page = await ann.tasks.list({ limit: 1 }).page();
    const rest = await ann.tasks.list({ limit: 1 }).page(page.nextCursor ?? '');
    const events = (await receiver.until('/tasks', 4)).map(({ body }) => JSON.parse(body));

    expect([...page.data, ...rest.data].map(({ id }) => id)).toEqual(inOrder);
    expect(events.map(({ data }) => data.taskId).sort()).toEqual(
      [`${first.id}.a1.1`, `${second.id}.a1.1`, `${first.id}.a1-2`, `${first.id}.a1.1-2`].sort(),
    );
    expect(new Set(events.map(({ id }) => id)).size).toBe(4);
  });

  it('is an event of its own for webhooks', async () => {
    const receiver = await startWebhookReceiver(() => 200);
    onTestFinished(() => receiver.close());
    await ann.webhooks.create({ url: `${receiver.url}/tasks`, events: ['task.created'] });
    const [first, second] = await asked();

    const events = (await receiver.until('/tasks', 2)).map(({ body }) => JSON.parse(body));

    expect(events.map(({ data }) => data.taskId).sort()).toEqual([first, second]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(2);
    expect(events[0]).toMatchObject({
      type: 'dev.millrace.task.created',
      data: { kind: 'approval', node: 'Clerk', tool: 'save_file', hash: expect.any(String) },
    });
  });

  it('is no question of another tenant', async () => {
    const [task] = await asked();
    const { secret } = await api.keys.create({ tenant: 'others', scopes: ['run', 'read', 'answer'], name: 'Eve' });
    const eve = new Millrace({ url: api.orchestrator.url, apiKey: secret });

    expect(await code(eve.tasks.answer(task, { data: { decision: 'approve' } }))).toBe('RUN_UNKNOWN');
    expect((await ann.tasks.get(task)).status).toBe('open');
  });
});
