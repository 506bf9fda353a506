import { createVocabulary } from '@millrace/catalog';
import { startIntake } from '@millrace/orchestrator/intake';
import { Queue } from 'bullmq';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { command } from '../../support/processes/command.ts';
import { waitUntil } from '../../support/waiting.ts';

const yaml = 'graph: { id: hello, nodes: [{ id: Say, type: literal, config: { content: hi } }] }';

const api = openBeforeAll(serveApi);
openBeforeAll(() =>
  startIntake({
    runtime: api.runtime,
    vocabulary: createVocabulary(),
    name: 'test',
    log: pino({ level: 'silent' }),
  }),
);
let theirs: Queue;
let acme: string;
let otherKey: string;
beforeAll(async () => {
  theirs = new Queue('millrace-intake', { connection: { url: api.redis.url }, prefix: api.redis.prefix });
  [acme, otherKey] = await Promise.all([api.keyOf('acme', 'admin'), api.keyOf('other', 'admin')]);
  for (const jobId of ['one', 'two'])
    await theirs.add('run', { workflow: 'hello', tenant: 'acme', runId: jobId }, { jobId });
  await waitUntil(async () => (await theirs.getFailedCount()) === 2);
});
afterAll(async () => {
  await theirs.close();
});

const send = async (key: string, method: string, { path, body }: { path: string; body?: unknown }) => {
  const response = await fetch(`${api.orchestrator.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
};

it('shows refused jobs to their tenant only', async () => {
  const mine = await api.ask(acme, '/v1/intake/quarantine');
  const others = await api.ask(otherKey, '/v1/intake/quarantine');

  expect(mine.body).toMatchObject({
    data: expect.arrayContaining([
      expect.objectContaining({ id: 'one', reason: expect.stringContaining('WORKFLOW_UNKNOWN') }),
    ]),
    nextCursor: null,
  });
  expect(others.body).toEqual({ data: [], nextCursor: null });
});

it('prints refused jobs with the command, locally and over HTTP', async () => {
  const local = api.redis.env;
  const remote = { MILLRACE_URL: api.orchestrator.url, MILLRACE_API_KEY: acme };
  const [one, other] = await Promise.all([local, remote].map((env) => command(['intake', 'list', '--json'], env)));
  expect(JSON.parse(one?.stdout ?? '')).toHaveLength(2);
  expect(other?.stdout).toBe(one?.stdout);

  await theirs.add('run', { workflow: 'hello', tenant: 'acme' }, { jobId: 'three' });
  await waitUntil(async () => (await theirs.getFailedCount()) === 3);
  expect(await command(['intake', 'retry', 'three', '--json'], remote)).toMatchObject({
    code: 0,
    stdout: '{"ids":["three"]}\n',
  });
  await waitUntil(async () => (await theirs.getFailedCount()) === 3);
  expect((await command(['intake', 'drop', 'three'], remote)).code).toBe(0);
  for (const env of [local, remote]) expect(await command(['intake', 'drop', 'three'], env)).toMatchObject({ code: 3 });
  expect((await command(['intake', 'list'], { ...remote, MILLRACE_API_KEY: otherKey })).stderr).toBe(
    'No job was refused.\n',
  );
});

it('allows only its tenant to retry and drop a job', async () => {
  await send(acme, 'PUT', { path: '/v1/workflows/hello', body: { yaml } });
  for (const [method, path] of [
    ['POST', '/v1/intake/quarantine/one/retry'],
    ['DELETE', '/v1/intake/quarantine/two'],
  ] as const)
    expect(await send(otherKey, method, { path })).toMatchObject({ status: 404, body: { code: 'INTAKE_UNKNOWN' } });

  expect((await send(acme, 'POST', { path: '/v1/intake/quarantine/one/retry' })).status).toBe(202);
  expect((await send(acme, 'DELETE', { path: '/v1/intake/quarantine/two' })).status).toBe(200);

  await waitUntil(async () => (await api.ask(acme, '/v1/runs/one')).body['status'] === 'completed');
  expect((await api.ask(acme, '/v1/intake/quarantine')).body).toEqual({ data: [], nextCursor: null });
});
