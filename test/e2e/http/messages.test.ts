import { beforeAll, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';

const api = openBeforeAll(serveApi);
const acme = openBeforeAll(() => api.tenant('acme', 'read', 'run'));
let run: string;
const long = 'ü"\\'.repeat(100_000);

beforeAll(async () => {
  const yaml = `graph:
  id: long
  start: [Say]
  end: [Done]
  nodes:
    - { id: Say, type: passthrough, config: {} }
    - { id: Done, type: literal, config: { content: done } }
  edges:
    - { from: Say, to: Done }
`;
  run = `/v1/runs/${await acme.start(yaml, { input: long })}`;
});

const get = async (path: string) => (await acme.ask(`${run}${path}`)).body;

const raw = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${api.orchestrator.url}${run}${path}`, { headers: { authorization: `Bearer ${acme.key}`, ...headers } });

it('shows the beginnings of long messages, and their sizes', async () => {
  const whole = (await get('/activations/a1')) as { input: { id: string; text: string }[] };
  const heads = (await get('/activations/a1?bodies=heads')) as unknown as typeof whole;
  const [first] = heads.input;

  expect(whole.input).toMatchObject([{ role: 'user', source: 'TASK', text: long }]);
  expect(heads).toMatchObject({ input: [{ text: long.slice(0, 2048) }], output: [{ text: long.slice(0, 2048) }] });
  // The JSON of the message, in which quotes are escaped.
  expect(first).toMatchObject({ id: 'm1', size: expect.any(Number) });
  expect((first as unknown as { size: number }).size).toBeGreaterThan(Buffer.byteLength(long));
  expect(await get('/messages/m1?view=head')).toMatchObject({
    id: 'm1',
    role: 'user',
    text: long.slice(0, 2048),
    size: long.length,
  });
  expect(await get('/messages/m1')).toMatchObject({ text: long, size: long.length });
});

it('shows the data that messages carry, and the type of the node that emits them', async () => {
  const schema = '{type: object, required: [urgent], properties: {urgent: {type: boolean}}}';
  const params = `{default: '{"urgent": true}'}`;
  const yaml = `graph:
  id: typed
  nodes:
    - {id: A, type: agent, config: {provider: scripted, name: m, params: ${params}, output: {schema: ${schema}, text: Urgent.}}}
`;
  const typed = await acme.start(yaml, { input: 'x' });
  const paths = ['/activations/a1', '/activations/a1?bodies=heads', '/graph'];
  const shown = await Promise.all(paths.map(async (path) => (await acme.ask(`/v1/runs/${typed}${path}`)).body));

  const output = [{ text: 'Urgent.', data: { urgent: true } }];
  expect(shown).toMatchObject([{ output }, { output }, { graphs: [{ nodes: [{ data: '{urgent: boolean}' }] }] }]);
});

it('returns the text of a message in parts', async () => {
  const whole = await raw('/messages/m1/text');
  const bytes = Buffer.from(await whole.arrayBuffer());
  const part = await raw('/messages/m1/text', { range: 'bytes=4-7' });

  expect(bytes.toString()).toBe(long);
  expect(whole.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(whole.headers.get('content-disposition')).toMatch(/^attachment/);
  expect(part.status).toBe(206);
  expect(part.headers.get('content-range')).toBe(`bytes 4-7/${bytes.length}`);
  expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(4, 8));
  expect((await raw('/messages/m1/text', { range: `bytes=${bytes.length}-` })).status).toBe(416);
  expect((await raw('/messages/m99/text')).status).toBe(404);
  expect((await raw('/messages/1/text')).status).toBe(400);
});

it('shows a run without the outputs of its nodes', async () => {
  expect(await get('')).toMatchObject({ outputs: { Say: long, Done: 'done' } });
  expect(await get('?view=head')).toMatchObject({ status: 'completed', outputs: {}, dataByNode: {}, output: 'done' });
  expect(JSON.stringify(await get('?view=head')).length).toBeLessThan(2000);
  expect(await get('?view=tail')).toMatchObject({ code: 'REQUEST_INVALID' });
});

it('lists events backwards from the end, and by type', async () => {
  const json = { accept: 'application/json' };
  const events = async (query: string) => {
    const { body } = await acme.ask(`${run}/events?${query}`, undefined, json);
    return body as unknown as { data: { id: string; event: { type: string } }[]; nextCursor: string | null };
  };
  const all = (await events('limit=1000')).data;

  const newest = await events('order=newest&limit=3');
  const older = await events(`order=newest&limit=1000&cursor=${newest.nextCursor}`);
  expect([...newest.data, ...older.data]).toEqual(all.toReversed());
  expect(newest.data).toHaveLength(3);
  expect(older.nextCursor).toBeNull();

  const ends = await events('type=activation.completed&type=run.*');
  expect(ends.data.map(({ event }) => event.type)).toEqual([
    'run.started',
    'activation.completed',
    'activation.completed',
    'run.finished',
  ]);
  expect((await events('order=newest&type=activation.*&limit=1')).data).toMatchObject([
    { event: { type: 'activation.completed', nodeId: 'Done' } },
  ]);
  expect(await events('order=upwards')).toMatchObject({ code: 'REQUEST_INVALID' });
  expect(await events('order=newest&cursor=9999-0')).toMatchObject({ code: 'EVENT_UNKNOWN' });
});

it('shows messages to their tenant only', async () => {
  const other = await api.keyOf('other', 'read');

  for (const path of ['/messages/m1', '/messages/m1/text', '/activations/a1?bodies=heads', '/events?order=newest'])
    expect((await api.ask(other, `${run}${path}`, undefined, { accept: 'application/json' })).status, path).toBe(404);
});
