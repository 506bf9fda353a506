import { randomUUID } from 'node:crypto';
import { Millrace } from '@millrace/client';
import { beforeEach, describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';

const review = `
graph:
  id: review
  nodes:
    - { id: Writer, type: passthrough, config: {} }
    - { id: Reviewer, type: human, config: { description: Is it good? } }
    - { id: Final, type: passthrough, config: {} }
    - { id: Archive, type: passthrough, config: {} }
    - { id: Digits, type: passthrough, config: {} }
    - { id: Code, type: passthrough, config: {} }
  edges:
    - { from: Writer, to: Reviewer }
    - { from: Reviewer, to: Final, condition: { type: keyword, config: { any: [ACCEPT], none: [not], case_sensitive: false } } }
    - { from: Reviewer, to: Archive }
    - { from: Reviewer, to: Digits, condition: { type: regex, config: { pattern: "^\\\\d+$", flags: [MULTILINE] } } }
    - { from: Reviewer, to: Code, condition: { type: function, config: { name: always_false } } }
    - { from: Reviewer, to: Writer, trigger: false }
  start: [Writer]
  end: [Final, Archive, Digits, Code]
`;

const api = openBeforeAll(serveApi);
let ann: Millrace;
let bob: Millrace;

beforeEach(async () => {
  const tenant = `t-${randomUUID().slice(0, 8)}`;
  const clientOf = async (name: string) => {
    const { secret } = await api.keys.create({ tenant, scopes: ['run', 'read', 'answer'], name });
    return new Millrace({ url: api.orchestrator.url, apiKey: secret });
  };
  [ann, bob] = await Promise.all([clientOf('Ann'), clientOf('Bob')]);
});

/** Starts a run, and returns its question once it asks. */
async function asked(input = 'A fence.', attachments: readonly string[] = []) {
  const run = await ann.runs.start({ yaml: review }, { input, attachments: [...attachments] });
  await expect.poll(async () => (await run.tasks().page()).data).toHaveLength(1);
  return `${run.id}.a2`;
}

describe('a question', () => {
  it('has the beginning of a long input in lists and runs of the view head, and all of it alone', async () => {
    const input = 'x'.repeat(500_000);
    const id = await asked(input);
    const run = ann.runs.get(id.slice(0, -'.a2'.length));

    const [listed] = (await ann.tasks.list({ view: 'head' }).page()).data;
    const [described] = (await run.describe('head')).tasks;
    expect([listed?.input.length, described?.input.length]).toEqual([2048, 2048]);
    expect((await ann.tasks.list().page()).data[0]?.input).toContain(input);
    expect((await ann.tasks.get(id)).input).toContain(input);
  });

  it('has its time, its run, and the destinations of its answer', async () => {
    const before = Date.now();
    const task = await ann.tasks.get(await asked('Paint a fence.\nRed.'));

    expect(task).toMatchObject({ node: 'Reviewer', title: 'Paint a fence.', prompt: 'Is it good?' });
    expect(task.askedAt).toBeGreaterThan(before - 5000);
    expect(task.askedAt).toBeLessThan(Date.now() + 5000);
    expect(task).not.toHaveProperty('askedBefore');
    expect(task).not.toHaveProperty('dueAt');
    expect(task.goesTo).toEqual([
      {
        to: 'Final',
        condition: 'contains "ACCEPT", without "not"',
        test: { any: ['ACCEPT'], all: [], none: ['not'], patterns: [], flags: ['IGNORECASE'] },
      },
      { to: 'Archive' },
      {
        to: 'Digits',
        condition: 'matches /^\\d+$/',
        test: { any: [], all: [], none: [], patterns: ['^\\d+$'], flags: ['MULTILINE'] },
      },
      { to: 'Code', condition: expect.any(String) },
    ]);
  });

  it('lists the files in the input of its node', async () => {
    const file = await ann.files.upload(new Blob(['red']), { name: 'colour.txt' });

    const task = await ann.tasks.get(await asked('Paint it so.', [file.id]));

    expect(task.attachments).toEqual([{ id: expect.any(String), name: 'colour.txt', mimeType: 'text/plain', size: 3 }]);
  });

  it('returns who has answered it, and with what, to a second answer and to readers', async () => {
    const task = await asked();
    await ann.tasks.answer(task, 'ACCEPT');

    const late = bob.tasks.answer(task, 'No.');

    await expect(late).rejects.toMatchObject({
      code: 'TASK_ANSWERED',
      message: `Question ${task} has been answered already by Ann: "ACCEPT".`,
    });
    expect(await bob.tasks.get(task)).toMatchObject({ status: 'closed', answer: 'ACCEPT', answeredBy: 'Ann' });
    const run = task.split('.')[0] ?? '';
    const events = (await ann.runs.get(run).journal().page()).data.map(({ event }) => event);
    expect(events).toContainEqual(expect.objectContaining({ type: 'activation.answered', by: 'Ann' }));
  });

  it('shows the beginning of a long answer', async () => {
    const task = await asked();
    await ann.tasks.answer(task, '🧱'.repeat(1000));

    const { answer, answeredBy } = await bob.tasks.get(task);

    expect([answer, answeredBy]).toEqual([`${'🧱'.repeat(200)}…`, 'Ann']);
  });
});

describe('a question with a schema', () => {
  const schema = {
    type: 'object',
    properties: { verdict: { enum: ['accept', 'revise'] }, score: { type: 'integer', maximum: 10 } },
    required: ['verdict'],
  };
  const form = `
graph:
  id: form
  nodes:
    - { id: Editor, type: human, config: { output: { schema: ${JSON.stringify(schema)}, text: "{{ verdict }}" } } }
    - { id: Publish, type: template, config: { text: "{{ data.verdict }} with {{ data.score }} points" } }
    - { id: Writer, type: passthrough, config: {} }
  edges:
    - { from: Editor, to: Publish, condition: { type: data, config: { verdict: accept } } }
    - { from: Editor, to: Writer, condition: { type: data, config: { verdict: revise } } }
  start: [Editor]
  end: [Publish, Writer]
`;
  const askedForm = async () => {
    const run = await ann.runs.start({ yaml: form }, { input: 'A text.' });
    await expect.poll(async () => (await run.tasks().page()).data).toHaveLength(1);
    return { run, task: `${run.id}.a1` };
  };

  it('stays open until the data match, and the graph routes on them', async () => {
    const { run, task } = await askedForm();
    expect((await ann.tasks.get(task)).schema).toEqual(schema);

    const wrong = [
      { data: { verdict: 'no', score: 11 } },
      { text: 'accept' },
      {},
      { text: 'accept', data: {} },
    ] as const;
    const refused = await Promise.allSettled(wrong.map((answer) => ann.tasks.answer(task, answer)));
    expect(refused.map((one) => one.status === 'rejected' && [one.reason.status, one.reason.code])).toEqual([
      [422, 'ANSWER_INVALID'],
      [422, 'ANSWER_INVALID'],
      [400, 'REQUEST_INVALID'],
      [400, 'REQUEST_INVALID'],
    ]);
    expect(refused[0]).toMatchObject({
      reason: {
        message:
          'The question of "Editor" takes data that match its schema: /verdict: expected one of "accept", "revise"; /score: expected a number of at most 10.',
      },
    });

    await ann.tasks.answer(task, { data: { score: 7, verdict: 'accept', other: true } });
    expect(await run.result()).toMatchObject({ status: 'completed', output: 'accept with 7 points' });
    expect(await bob.tasks.get(task)).toMatchObject({ answer: '{"verdict":"accept","score":7}', answeredBy: 'Ann' });
  });

  it('takes a second answer for a late one', async () => {
    const { task } = await askedForm();
    await ann.tasks.answer(task, { data: { verdict: 'revise' } });
    await expect(bob.tasks.answer(task, { text: 'accept' })).rejects.toMatchObject({ code: 'TASK_ANSWERED' });
  });

  it('is refused data where it has none', async () => {
    await expect(ann.tasks.answer(await asked(), { data: { verdict: 'accept' } })).rejects.toMatchObject({
      code: 'ANSWER_INVALID',
      message: 'The question of "Reviewer" takes a text as its answer, not data. Send it as `text`.',
    });
  });
});

describe('the list of questions', () => {
  it('begins with those of the oldest runs, in pages', async () => {
    const tasks = [await asked(), await asked(), await asked()];

    const listed: string[] = [];
    for await (const { id } of ann.tasks.list({ order: 'oldest', limit: 2 })) listed.push(id);

    expect(listed).toEqual(tasks);
  });

  it('can be limited to those of one person, or of the caller', async () => {
    const [first, second] = [await asked(), await asked()];
    await ann.tasks.claim(first, { assignee: 'Ann' });
    await bob.tasks.claim(second, { assignee: 'Bob' });
    const ids = async (millrace: Millrace, assignee: string) =>
      (await millrace.tasks.list({ assignee }).page()).data.map(({ id }) => id);

    expect(await ids(ann, 'me')).toEqual([first]);
    expect(await ids(bob, 'me')).toEqual([second]);
    expect(await ids(ann, 'Bob')).toEqual([second]);
  });

  it('has counts', async () => {
    const [first, second] = [await asked(), await asked()];
    await asked();
    await ann.tasks.claim(first, { assignee: 'Ann' });
    await bob.tasks.claim(second, { assignee: 'Bob' });

    expect(await ann.tasks.counts()).toEqual({ open: 1, claimed: 2, mine: 1, capped: false });
    expect(await ann.tasks.counts({ workflow: 'other' })).toEqual({ open: 0, claimed: 0, mine: 0, capped: false });
  });
});

describe('the second question of an activation', () => {
  const call = (instruction: string, id: string) => ({ name: 'call_user', arguments: { instruction }, id });
  const replies = [{ tool_calls: [call('First?', 'c1')] }, { tool_calls: [call('Second?', 'c2')] }, 'Done.'];
  const asking = `
graph:
  id: asking
  start: [A]
  end: [A]
  nodes:
    - id: A
      type: agent
      config:
        provider: scripted
        name: m
        params: ${JSON.stringify({ rules: [{ when: {}, replies }] })}
        tooling: [{ type: function, config: { tools: [{ name: call_user }] } }]
`;
  const code = (answering: Promise<unknown>) =>
    answering.then(
      () => 'accepted',
      ({ code: refused }: { readonly code: string }) => refused,
    );

  it('has an id of its own, and no answer to the first one counts for it', async () => {
    const run = await ann.runs.start({ yaml: asking }, { input: 'go' });
    const open = async () => (await run.tasks().page()).data.map(({ id, prompt }) => [id, prompt]);
    const [first, second, third] = [`${run.id}.a1`, `${run.id}.a1-2`, `${run.id}.a1-3`];
    await expect.poll(open).toEqual([[first, 'First?']]);
    expect(await code(bob.tasks.answer(second, 'early'))).toBe('TASK_UNKNOWN');
    const both = [code(ann.tasks.answer(first, 'Ada')), code(ann.tasks.answer(first, 'Eve'))];
    expect((await Promise.all(both)).sort()).toEqual(['TASK_ANSWERED', 'accepted']);
    await expect.poll(open).toEqual([[second, 'Second?']]);
    const { answer } = await bob.tasks.get(first);

    const late = bob.tasks.answer(first, 'late');

    await expect(late).rejects.toMatchObject({
      code: 'TASK_ANSWERED',
      message: `Question ${first} has been answered already by Ann: "${answer}".`,
    });
    await expect(bob.tasks.claim(first, { assignee: 'Bob' })).rejects.toMatchObject({ code: 'TASK_ANSWERED' });
    expect(await code(bob.tasks.answer(third, 'never'))).toBe('TASK_UNKNOWN');
    expect(await code(bob.tasks.get(third))).toBe('TASK_UNKNOWN');
    expect(await bob.tasks.get(second)).toMatchObject({ id: second, status: 'open', prompt: 'Second?' });

    await bob.tasks.answer(second, 'Bob');
    expect((await run.result()).output).toBe('Done.');
    expect(await ann.tasks.get(first)).toMatchObject({
      id: first,
      status: 'closed',
      prompt: 'First?',
      answer,
      answeredBy: 'Ann',
    });
    expect(await ann.tasks.get(second)).toMatchObject({
      id: second,
      status: 'closed',
      prompt: 'Second?',
      answer: 'Bob',
      answeredBy: 'Bob',
    });
    expect(await code(bob.tasks.get(third))).toBe('TASK_UNKNOWN');
    expect(await code(bob.tasks.answer(second, 'late'))).toBe('TASK_ANSWERED');
  });
});
