import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import type { JournalEntry } from '@millrace/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { directoryBeforeAll } from '../../support/fixtures.ts';
import { ask, follow } from '../../support/http/http.ts';
import type { RunningCommand, RunningServer } from '../../support/processes/millrace.ts';
import { millrace, startMillrace, startServer } from '../../support/processes/millrace.ts';
import { newInstallation } from '../../support/redis/installation.ts';

const twoQuestions = `
graph:
  id: two_questions
  nodes:
    - { id: First, type: human, config: { description: What shall it be? } }
    - { id: Draft, type: passthrough, config: {} }
    - { id: Second, type: human, config: { description: Is it right? } }
  edges:
    - { from: First, to: Draft }
    - { from: Draft, to: Second }
`;
const greeting =
  'graph:\n  id: greeting\n  nodes:\n    - { id: Hello, type: literal, config: { content: "Hello ${NAME}" } }\n';

const cwd = directoryBeforeAll();
const env = { ...newInstallation().env, SERVER_ONLY: 'kept to itself' };
let worker: RunningCommand;
let server: RunningServer;
let url = '';

const serve = (port = '0') => startServer(['serve', '--port', port], { cwd, env });

beforeAll(async () => {
  worker = startMillrace(['worker'], { cwd, env });
  const working = worker.says(/Working on runs/);
  server = await serve();
  ({ url } = server);
  await working;
});

afterAll(async () => {
  await server.stop();
  await worker.stop();
});

const start = (yaml: string, more: Record<string, unknown> = {}) =>
  ask(`${url}/v1/runs`, { workflow: { yaml }, ...more });

/** Starts a run and gives its first question once it is asked. */
async function question(): Promise<{ run: string; task: string }> {
  const started = await start(twoQuestions, { input: 'A fence.' });
  const run = String(started.body['runId']);
  return { run, task: await nextTask(run) };
}

async function nextTask(run: string): Promise<string> {
  const { body } = await ask(`${url}/v1/runs/${run}?wait=30s`);
  expect(body).toMatchObject({ status: 'waiting', tasks: [{ runId: run }] });
  const [task] = body['tasks'] as { id: string }[]; // as just seen
  return task?.id ?? '';
}

const reply = (task: string, text: string) => ask(`${url}/v1/tasks/${task}/answer`, { text });
/** Returns the status of the response to a body of this many bytes before it is sent. */
async function statusOfAnnounced(bytes: number): Promise<number | undefined> {
  const headers = { 'content-type': 'application/json', 'content-length': bytes };
  const announcing = request(`${url}/v1/runs`, { method: 'POST', headers });
  announcing.flushHeaders();
  const [response] = await once(announcing, 'response');
  announcing.destroy();
  return response.statusCode;
}

const asks = ({ event }: JournalEntry): boolean => event.type === 'activation.suspended';

describe('a run over HTTP', () => {
  it('starts, waits for its answers and has a result', async () => {
    const { run, task } = await question();
    expect(await ask(`${url}/v1/runs/${run}/result`)).toMatchObject({ status: 409, body: { code: 'RUN_UNFINISHED' } });
    expect((await ask(`${url}/v1/tasks?run=${run}`)).body).toMatchObject({
      data: [{ id: task, node: 'First', prompt: 'What shall it be?' }],
    });
    expect(await reply(task, 'Blue.')).toMatchObject({ status: 200, body: { runId: run, task } });
    await reply(await nextTask(run), 'It is.');

    const ended = await ask(`${url}/v1/runs/${run}?wait=30s`);
    expect(ended.body).toMatchObject({ status: 'completed', output: 'It is.', outputs: { Draft: 'Blue.' }, tasks: [] });
    expect(await ask(`${url}/v1/runs/${run}/result`)).toMatchObject({ status: 200, body: { output: 'It is.' } });
    expect((await ask(`${url}/v1/runs?limit=200`)).body['data']).toContainEqual(
      expect.objectContaining({ runId: run, workflow: 'two_questions', status: 'completed' }),
    );
  });

  it('is started once under one id', async () => {
    const runId = `order-${randomUUID()}`;
    const first = await start(greeting, { runId, vars: { NAME: 'Ada' } });
    const second = await start(greeting, { runId, vars: { NAME: 'Ada' } });

    expect([first.status, second.status]).toEqual([201, 200]);
    expect(first.headers.get('location')).toBe(`/v1/runs/${runId}`);
    expect(second.body).toMatchObject({ runId, startedAt: first.body['startedAt'] });
    expect((await ask(`${url}/v1/runs/${runId}?wait=30s`)).body).toMatchObject({ output: 'Hello Ada' });
  });

  it('accepts one of two answers, and no later one', async () => {
    const { run, task } = await question();
    const both = await Promise.all([reply(task, 'Red.'), reply(task, 'Green.')]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(both.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'TASK_ANSWERED' });

    const second = await nextTask(run);
    expect(await reply(task, 'Black.')).toMatchObject({ status: 409, body: { code: 'TASK_ANSWERED' } });
    await reply(second, 'Yes.');
    await ask(`${url}/v1/runs/${run}?wait=30s`);
    expect(await reply(second, 'No.')).toMatchObject({ status: 409, body: { code: 'TASK_ANSWERED' } });
  });

  it('is cancelled once', async () => {
    const { run } = await question();
    const cancelled = await ask(`${url}/v1/runs/${run}/cancel`, { reason: 'rain' });
    expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled', error: { message: 'rain' } } });
    expect(await ask(`${url}/v1/runs/${run}/cancel`, {})).toMatchObject({ status: 409, body: { code: 'RUN_ENDED' } });
  });

  it('is described in its state at the end of the wait', async () => {
    await worker.stop();
    const { body } = await start(greeting, { vars: { NAME: 'Ada' } });
    expect((await ask(`${url}/v1/runs/${body['runId']}?wait=50ms`)).body).toMatchObject({ status: 'running' });
    const ended = ask(`${url}/v1/runs/${body['runId']}?wait=1m`);
    worker = startMillrace(['worker'], { cwd, env });
    expect((await ended).body).toMatchObject({ status: 'completed' });
  });
});

describe('the events of a run', () => {
  it('arrive once each and without a gap, across lost connections and a new server', async () => {
    const { run, task } = await question();
    const events = () => `${url}/v1/runs/${run}/events`;
    const received = await follow(events(), { until: asks });

    expect(await server.stop()).toMatchObject({ code: 0 });
    server = await serve(new URL(url).port);
    await reply(task, 'Blue.');
    received.push(...(await follow(events(), { after: received.at(-1)?.id, until: () => true })));
    received.push(...(await follow(events(), { after: received.at(-1)?.id, until: asks })));
    const rest = follow(events(), { after: received.at(-1)?.id });
    await reply(await nextTask(run), 'It is.');
    received.push(...(await rest));

    const { body } = await ask(`${events()}?limit=1000`, undefined, { accept: 'application/json' });
    expect(received).toEqual(body['data']);
    expect(received.at(-1)?.event.type).toBe('run.finished');
    expect(body['nextCursor']).toBeNull();
  });

  it('end when the server closes', async () => {
    const { run } = await question();
    const other = await serve();
    const received = follow(`${other.url}/v1/runs/${run}/events`);
    await follow(`${other.url}/v1/runs/${run}/events`, { until: asks });
    expect(await other.stop()).toMatchObject({ code: 0 });
    expect((await received).some(asks)).toBe(true);
  });

  it('are refused after an id beyond the end', async () => {
    const { run } = await question();
    for (const accept of ['text/event-stream', 'application/json']) {
      const ahead = await ask(`${url}/v1/runs/${run}/events`, undefined, { accept, 'last-event-id': '99999-0' });
      expect(ahead).toMatchObject({ status: 409, body: { code: 'EVENT_UNKNOWN' } });
    }
  });

  it('are returned in pages, and end after the last one', async () => {
    const { run } = await question();
    await ask(`${url}/v1/runs/${run}/cancel`, {});
    const json = { accept: 'application/json' };
    const first = await ask(`${url}/v1/runs/${run}/events?limit=2`, undefined, json);
    const rest = await ask(`${url}/v1/runs/${run}/events?cursor=${first.body['nextCursor']}`, undefined, json);
    const entries = [first, rest].flatMap(({ body }) => body['data'] as JournalEntry[]); // the shape of a page

    expect(entries.map(({ id }) => id)).toEqual((await follow(`${url}/v1/runs/${run}/events`)).map(({ id }) => id));
    const after = entries.at(-1)?.id ?? '';
    expect((await ask(`${url}/v1/runs/${run}/events`, undefined, { 'last-event-id': after })).status).toBe(204);
  });
});

describe('the routes of runs', () => {
  it.each([
    ['runs/run_0', 'RUN_UNKNOWN'],
    ['runs/run_0/events', 'RUN_UNKNOWN'],
    ['runs/run_0/result', 'RUN_UNKNOWN'],
    ['tasks?run=run_0', 'RUN_UNKNOWN'],
    ['nothing', 'ROUTE_UNKNOWN'],
  ])('refuse %s with 404 %s', async (path, code) => {
    const { status, headers, body } = await ask(`${url}/v1/${path}`, undefined, { 'x-request-id': 'mine-1' });
    expect({ status, type: headers.get('content-type'), id: headers.get('x-request-id') }).toEqual({
      status: 404,
      type: 'application/problem+json; charset=utf-8',
      id: 'mine-1',
    });
    expect(body).toMatchObject({ status: 404, code, requestId: 'mine-1' });
  });

  it('refuse an answer to a node without a question with 404', async () => {
    const { run } = await question();
    expect(await reply(`${run}.a99`, 'x')).toMatchObject({ status: 404, body: { code: 'TASK_UNKNOWN' } });
    expect(await reply('run_0.a1', 'x')).toMatchObject({ status: 404, body: { code: 'RUN_UNKNOWN' } });
  });

  it('refuse a workflow with errors with 422 and the position of each', async () => {
    const nodes = '    - { id: A, type: humn, config: {} }\n    - { id: B, type: nothing, config: {} }\n';
    const yaml = `graph:\n  id: broken\n  nodes:\n${nodes}  edges:\n    - { from: A, to: B }\n`;
    const { status, body } = await start(yaml);
    expect({ status, code: body['code'] }).toEqual({ status: 422, code: 'WORKFLOW_INVALID' });
    expect(body['errors']).toMatchObject([
      { code: 'E_NODE_TYPE_UNKNOWN', line: 4, column: 22, pointer: 'graph.nodes[0].type' },
      { code: 'E_NODE_TYPE_UNKNOWN', line: 5, column: 22 },
    ]);
  });

  it('refuse a workflow that refers to files or variables of the server with 422', async () => {
    const file = join(cwd, 'inner.yaml');
    const sub = `graph:\n  id: outer\n  nodes:\n    - { id: S, type: subgraph, config: { type: file, config: { path: "${file}" } } }\n`;
    expect((await start(sub)).body).toMatchObject({ status: 422, errors: [{ code: 'E_SUBGRAPH_NOT_FOUND' }] });
    expect((await start(greeting.replace('NAME', 'SERVER_ONLY'))).body).toMatchObject({
      status: 422,
      errors: [{ code: 'E_VARIABLE_UNRESOLVED' }],
    });
  });

  it('refuse malformed requests with 400, 413 and 415', async () => {
    expect(await start(greeting, { colour: 'blue' })).toMatchObject({ status: 400, body: { code: 'REQUEST_INVALID' } });
    expect(await ask(`${url}/v1/runs/run_0?wait=long`)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/wait' }] },
    });
    const raw = (body: string, type: string) =>
      fetch(`${url}/v1/runs`, { method: 'POST', body, headers: { 'content-type': type } }).then((r) => r.json());
    expect(await raw('{', 'application/json')).toMatchObject({ status: 400, code: 'REQUEST_INVALID' });
    expect(await raw('{}', 'text/plain')).toMatchObject({ status: 415, code: 'MEDIA_TYPE_UNKNOWN' });
    expect(await statusOfAnnounced(5_000_000)).toBe(413);
  });

  it('refuse pages of other sites with 403', async () => {
    const { status, body } = await ask(`${url}/v1/runs`, undefined, { origin: 'https://example.com' });
    expect({ status, code: body['code'] }).toEqual({ status: 403, code: 'ORIGIN_REFUSED' });
  });
});

describe('the server', () => {
  it('requires a key where it listens for other machines, and refuses a port that is used', async () => {
    const wide = startMillrace(['serve', '--host', '0.0.0.0', '--port', '0'], { cwd, env });
    const [, port = ''] = await wide.says(/HTTP API is at http:\/\/[\d.]+:(\d+)/);
    await wide.says(/requires a key, and there is none yet/);
    expect(await ask(`http://127.0.0.1:${port}/v1/runs`)).toMatchObject({ status: 401, body: { code: 'KEY_MISSING' } });
    await wide.stop();
    const taken = await millrace(['serve', '--port', new URL(url).port], { cwd, env });
    expect(taken).toMatchObject({ code: 2, stderr: expect.stringContaining('PORT_TAKEN') });
  });

  it('runs within `millrace up`, alive and ready', async () => {
    const up = await startServer(['up', '--port', '0'], { cwd, env });
    expect((await ask(`${up.url}/healthz`)).body).toEqual({ status: 'ok' });
    expect((await ask(`${up.url}/readyz`)).body).toMatchObject({ status: 'ready', workers: expect.any(Number) });
    expect(await up.stop()).toMatchObject({ code: 0 });
  });
});
