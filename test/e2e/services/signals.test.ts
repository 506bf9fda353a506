import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Millrace } from '@millrace/client';
import { expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { command } from '../../support/processes/command.ts';

const row = `graph:
  id: row
  nodes:
    - { id: First, type: wait_for, config: { event: paid } }
    - { id: Second, type: wait_for, config: { event: paid } }
  edges: [{ from: First, to: Second }]
`;

const api = openBeforeAll(serveApi);
const directory = directoryBeforeAll();
const operator = openBeforeAll(() => api.tenant('default', 'read', 'run'));

const start = async (): Promise<string> => {
  const { body } = await operator.ask('/v1/runs', { workflow: { yaml: row }, input: 'x' }, { prefer: 'wait=30' });
  expect(body).toMatchObject({ status: 'waiting', tasks: [] });
  return String(body['runId']);
};
const outputsOf = async (run: string) =>
  (await operator.ask(`/v1/runs/${run}?wait=30s`)).body['outputs'] as Record<string, string>;

it('delivers the data of an event over HTTP, once for each id', async () => {
  const run = await start();
  const send = (body: unknown) => operator.ask(`/v1/runs/${run}/signals/paid`, body);

  expect((await send({ data: { order: 1 }, eventId: 'e1' })).status).toBe(200);
  expect((await send({ data: { order: 1 }, eventId: 'e1' })).status).toBe(200);
  expect((await send({ data: { order: 2 }, eventId: 'e2' })).status).toBe(200);
  await new Millrace({ url: api.orchestrator.url, apiKey: operator.key }).runs.get(run).result();

  expect(await outputsOf(run)).toEqual({ First: '{"order":1}', Second: '{"order":2}' });
  expect(await send({ data: 3, eventId: 'e3' })).toMatchObject({ status: 409, body: { code: 'RUN_ENDED' } });
  expect((await send({ data: { order: 2 }, eventId: 'e2' })).status).toBe(200);
});

it('delivers the data of an event from the client', async () => {
  const run = new Millrace({ url: api.orchestrator.url, apiKey: operator.key }).runs.get(await start());
  await run.signal('paid', { data: { order: 1 }, eventId: 'e1' });
  await run.signal('paid', { data: { order: 2 } });
  await run.result();

  expect(await outputsOf(run.id)).toEqual({ First: '{"order":1}', Second: '{"order":2}' });
  await expect(run.signal('paid', 'a note')).rejects.toMatchObject({ code: 'RUN_ENDED' });
});

it('delivers the data of an event from the command line, as JSON and from a file', async () => {
  const run = await start();
  const file = join(directory, 'order.json');
  await writeFile(file, '{"order":2}');
  const signal = (...args: string[]) => command(['signal', run, 'paid', ...args], operator.env);

  expect(await signal('--data', '{order}')).toMatchObject({ code: 2, stderr: expect.stringContaining('not JSON') });
  expect(await signal('--data', '{"order":1}', '--id', 'e1')).toMatchObject({ code: 0 });
  expect(await signal('--data', `@${file}`)).toMatchObject({ code: 0 });
  await new Millrace({ url: api.orchestrator.url, apiKey: operator.key }).runs.get(run).result();

  expect(await outputsOf(run)).toEqual({ First: '{"order":1}', Second: '{"order":2}' });
});

it('refuses a signal that nothing waits for, and malformed data', async () => {
  const run = await start();
  expect(await operator.ask(`/v1/runs/${run}/signals/sent`, {})).toMatchObject({
    status: 404,
    body: { code: 'SIGNAL_UNKNOWN' },
  });
  expect(await operator.ask(`/v1/runs/${run}/signals/paid`, { eventId: '' })).toMatchObject({ status: 400 });
  await operator.ask(`/v1/runs/${run}/cancel`, {});
});
