import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunHandle, TaskDetail } from '@millrace/client';
import { ApiProblem, Millrace, verifyWebhook } from '@millrace/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { startWebhookReceiver } from '../../support/http/webhook-receiver.ts';
import type { RunningCommand } from '../../support/processes/millrace.ts';
import { startMillrace, startServer } from '../../support/processes/millrace.ts';
import { freePort } from '../../support/redis/free-port.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { waitUntil } from '../../support/waiting.ts';

/*
 * Work of services and people with an installation, over HTTP alone: a Redis, two servers and two workers, each a process
 * of its own, as `millrace serve` and `millrace worker` start them.
 */

const greeting = 'graph:\n  id: greeting\n  nodes: [{ id: A, type: literal, config: { content: hello } }]\n';
const echo = 'graph:\n  id: echo\n  nodes: [{ id: A, type: passthrough, config: {} }]\n';
const asking = `graph:
  id: asking
  start: [Begin]
  end: [End]
  nodes:
    - { id: Begin, type: literal, config: { content: "Well?" } }
    - { id: Ask, type: human, config: { description: What now? } }
    - { id: End, type: passthrough, config: {} }
  edges: [{ from: Begin, to: Ask }, { from: Ask, to: End }]
`;

const cwd = directoryBeforeAll();
const redis = newInstallation();
const receiver = openBeforeAll(() =>
  startWebhookReceiver(({ path }, nth) => (path === '/late' && nth < 3 ? 503 : 204)),
);
let env: Record<string, string> = {};
/** The first one is killed and started again at its address; the other one stays. */
let first: Server;
let second: Server;
let workers: readonly RunningCommand[] = [];

interface Server {
  readonly process: RunningCommand;
  readonly port: number;
  readonly api: Millrace;
}

beforeAll(async () => {
  const prefix = `services-${randomUUID()}`;
  env = { REDIS_URL: redis.url, MILLRACE_PREFIX: prefix, MILLRACE_DIR: cwd, MILLRACE_WEBHOOK_REST_MS: '5' };
  workers = [1, 2].map(() => startMillrace(['worker'], { cwd, env }));
  [first, second] = await Promise.all([serve(await freePort()), serve(await freePort())]);
  await Promise.all(workers.map((worker) => worker.says(/Working on runs/)));
  for (const yaml of [greeting, echo, asking]) {
    const [, name = ''] = /id: (\w+)/.exec(yaml) ?? [];
    await second.api.workflows.publish(name, yaml);
  }
});
afterAll(async () => {
  await Promise.all([...workers, first.process, second.process].map((process) => process.stop('SIGKILL')));
});

async function serve(port: number): Promise<Server> {
  const process = await startServer(['serve', '--port', String(port)], { cwd, env });
  return { process, port, api: new Millrace({ url: process.url }) };
}

/** Ends the first server at once, with whatever it is doing, and starts it again at its address. */
async function crash(): Promise<void> {
  await first.process.stop('SIGKILL');
  first = await serve(first.port);
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1);

async function all<T>(pages: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const one of pages) found.push(one);
  return found;
}

/** Gives several answers to one question at the same time through both servers, and returns their outcomes. */
async function answers(task: string): Promise<readonly unknown[]> {
  const given = [first, second, first].map(({ api }, at) => api.tasks.answer(task, `Answer ${at}.`));
  const outcomes = await Promise.allSettled(given);
  return outcomes.map((outcome) => {
    if (outcome.status === 'fulfilled') return 'counts';
    return outcome.reason instanceof ApiProblem ? `${outcome.reason.status} ${outcome.reason.code}` : outcome.reason;
  });
}

it('starts 100 runs, one for each key, and streams all of their events across a crash of the server', async () => {
  const options = (key: number) => ({ tags: ['hundred'], idempotencyKey: `order-${key}`, input: `Order ${key}` });
  const started = await Promise.all(
    upTo(100).flatMap((key) => [first, second, first].map(({ api }) => api.runs.start('asking', options(key)))),
  );
  const runs = new Map(started.map((run) => [run.id, run]));
  expect(runs.size).toBe(100);
  for (const key of upTo(100)) expect(new Set(started.slice(3 * key - 3, 3 * key).map(({ id }) => id)).size).toBe(1);
  expect(await all(second.api.runs.list({ tag: 'hundred', limit: 200 }))).toHaveLength(100);

  // All clients follow at the first server, and receive a question there.
  const tasks: string[] = [];
  let heardAll = () => {};
  const asked = new Promise<void>((resolve) => {
    heardAll = resolve;
  });
  const follow = async ({ id }: RunHandle): Promise<readonly string[]> => {
    const received: string[] = [];
    for await (const { id: place, event } of first.api.runs.get(id).events()) {
      received.push(place);
      if (event.type === 'activation.suspended') tasks.push(`${id}.${event.activation}`);
      if (tasks.length === runs.size) heardAll();
    }
    return received;
  };
  const followed = [...runs.values()].map(follow);
  await asked;

  // People answer at the same time; of each question, one answer counts.
  const crowd = tasks.slice(0, 50);
  for (const outcomes of await Promise.all(crowd.map(answers))) {
    expect(outcomes.toSorted()).toEqual(['409 TASK_ANSWERED', '409 TASK_ANSWERED', 'counts']);
  }
  // The others are answered while the server is away that tells of it.
  const crashed = crash();
  await Promise.all(tasks.slice(50).map((task) => second.api.tasks.answer(task, 'So.')));
  await crashed;

  const received = await Promise.all(followed);
  const ids = [...runs.keys()];
  const journals = await Promise.all(ids.map(async (id) => all(second.api.runs.get(id).journal())));
  expect(received).toEqual(journals.map((journal) => journal.map(({ id }) => id)));
  const events = journals.flat().map(({ event }) => event.type);
  for (const type of ['run.started', 'activation.suspended', 'run.finished'] as const) {
    expect(events.filter((one) => one === type)).toHaveLength(100);
  }
  const lines = await all(second.api.runs.list({ tag: 'hundred', status: 'completed', limit: 200 }));
  expect(lines).toHaveLength(100);
  expect(await all<TaskDetail>(second.api.tasks.list())).toEqual([]);
}, 180_000);

it('delivers to a receiver that fails twice at the third attempt', async () => {
  const { id, secret } = await second.api.webhooks.create({ url: `${receiver.url}/late` });
  const run = await first.api.runs.start('greeting');

  const received = await receiver.until('/late', 3);

  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(new Set(received.map(({ body }) => body)).size).toBe(1);
  const message = await verifyWebhook({ body: received[2]?.body ?? '', headers: received[2]?.headers ?? {}, secret });
  expect(message).toMatchObject({ type: 'dev.millrace.run.completed', subject: run.id });
  for (;;) {
    const { data } = await second.api.webhooks.deliveries(id).page();
    if (data[0]?.state === 'pending') {
      await sleep(20);
      continue;
    }
    const [once, twice] = [1, 2].map(() => ({ status: 503, error: 'It answered 503.' }));
    expect(data).toMatchObject([{ state: 'delivered', attempts: [once, twice, { status: 204 }] }]);
    break;
  }
  await second.api.webhooks.remove(id);
});

it('starts one run for each time of a schedule, with two servers', async () => {
  const run = { workflow: 'greeting', webhook: { url: `${receiver.url}/tick` }, tags: ['t'] };
  await first.api.schedules.create({ id: 'every', cron: '* * * * * *', run });

  await receiver.until('/tick', 3);
  await second.api.schedules.change('every', { paused: true });

  const runs = (await all(first.api.runs.list({ tag: 'schedule:every' }))).toReversed(); // oldest first
  expect(runs.length).toBeGreaterThanOrEqual(3);
  const times = runs.map(({ runId }) =>
    Date.parse(runId.replace(/^tick_every_(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z')),
  );
  expect(times).toEqual(times.map((_time, at) => (times[0] ?? 0) + at * 1000));
  expect(runs[0]?.tags).toEqual(['t', 'schedule:every']);
  const received = receiver.received.filter(({ path }) => path === '/tick').map(({ headers }) => headers['webhook-id']);
  expect(new Set(received).size).toBe(received.length);
});

it('runs 200 rows of a CSV file, of which 3 are bad', async () => {
  const lines = upTo(200).map((row) => `r${row},"Row ${row}, please",`);
  lines[9] = 'r10,,';
  lines[49] = 'r50,Row 50,{no json';
  lines[199] = 'r1,Row 200,';
  const form = new FormData();
  form.set('workflow', 'echo');
  form.set('parallel', '20');
  form.set('webhook', JSON.stringify({ url: `${receiver.url}/row` }));
  form.set('file', new Blob([`\ufeffID,Task,Vars\n${lines.join('\n')}\n`]), 'rows.csv');
  const made = await fetch(`http://127.0.0.1:${first.port}/v1/batches`, { method: 'POST', body: form });
  expect(made.status).toBe(201);
  const batch = (await made.json()) as { id: string }; // the contract's
  expect(batch).toMatchObject({ workflow: 'echo', parallel: 20, total: 200 });

  await receiver.until('/row', 197);

  const { batches, runs } = second.api;
  await waitUntil(async () => (await batches.get(batch.id)).status === 'finished');
  expect((await batches.get(batch.id)).rows).toMatchObject({ invalid: 3, completed: 197, waiting: 0, running: 0 });
  const rows = await all(batches.rows(batch.id));
  expect(rows.map(({ row }) => row)).toEqual(upTo(200));
  expect(rows.filter(({ status }) => status === 'invalid').map(({ row, error }) => [row, error?.message])).toEqual([
    [10, 'It has no input.'],
    [50, 'Its vars are not a JSON object.'],
    [200, 'The id "r1" is that of a row before.'],
  ]);
  expect(rows[6]).toMatchObject({
    row: 7,
    id: 'r7',
    title: 'Row 7, please',
    status: 'completed',
    runId: `${batch.id}_7`,
  });
  expect(await runs.get(`${batch.id}_7`).result()).toMatchObject({ output: 'Row 7, please' });
  await expect(runs.get(`${batch.id}_10`).describe()).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
  const ofBatch = await all(runs.list({ tag: `batch:${batch.id}`, limit: 200 }));
  expect(ofBatch.map(({ status }) => status)).toEqual(upTo(197).map(() => 'completed'));
});
