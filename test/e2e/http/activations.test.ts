import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ServedApi } from '../../support/http/api.ts';
import { serveApi } from '../../support/http/api.ts';

const asks = `graph:
  id: fence
  nodes:
    - { id: Draft, type: literal, config: { content: A fence. } }
    - { id: Ask, type: human, config: { description: Which colour? } }
    - { id: Paint, type: passthrough, config: {} }
    - { id: Idle, type: passthrough, config: {} }
  edges:
    - { from: Draft, to: Ask }
    - { from: Ask, to: Paint }
    - { from: Paint, to: Idle, condition: { type: keyword, config: { any: [never] } } }
`;

let api: ServedApi;
let key: string;

beforeAll(async () => {
  api = await serveApi();
  key = await api.keyOf('acme', 'read', 'run', 'answer');
});

afterAll(() => api.close());

const get = async (path: string) => (await api.ask(key, path)).body;

async function start(yaml: string): Promise<string> {
  const { body } = await api.ask(key, '/v1/runs', { workflow: { yaml }, input: 'Go.' }, { prefer: 'wait=30' });
  return `/v1/runs/${body['runId']}`;
}

const statuses = async (run: string) => {
  const { graphs } = (await get(`${run}/graph`)) as {
    graphs: { nodes: { id: string; status: string; runs: number }[] }[];
  };
  return Object.fromEntries((graphs[0]?.nodes ?? []).map(({ id, status, runs }) => [id, `${status} ${runs}`]));
};

it('shows how each node stands while the run goes on', async () => {
  const run = await start(asks);

  expect(await statuses(run)).toEqual({ Draft: 'done 1', Ask: 'waiting 0', Paint: 'idle 0', Idle: 'idle 0' });
  const [, waiting] = (await get(`${run}/activations`))['data'] as { id: string }[]; // the shape of a page
  expect(waiting).toMatchObject({ node: 'Ask', state: 'waiting', question: 'Which colour?' });
  expect(await get(`${run}/activations/${waiting?.id}`)).toMatchObject({
    input: [{ source: 'Draft', text: 'A fence.' }],
    output: [],
  });

  await api.ask(key, `/v1/tasks/${run.split('/').at(-1)}.${waiting?.id}/answer`, { text: 'Red.' });
  await get(`${run}?wait=30s`);
  expect(await statuses(run)).toEqual({ Draft: 'done 1', Ask: 'done 1', Paint: 'done 1', Idle: 'idle 0' });
});

it('tells what went in and came out, long after', async () => {
  const run = await start(asks);
  await api.ask(key, `/v1/tasks/${run.split('/').at(-1)}.a2/answer`, { text: 'Red.' });
  await get(`${run}?wait=30s`);

  const listed: unknown[] = [];
  for (let cursor: unknown = 'a0'; cursor !== null; ) {
    const page = await get(`${run}/activations?limit=2&cursor=${cursor}`);
    listed.push(...(page['data'] as { node: string; state: string }[]).map(({ node, state }) => `${node} ${state}`));
    cursor = page['nextCursor'];
  }
  expect(listed).toEqual(['Draft completed', 'Ask completed', 'Paint completed']);
  expect(await get(`${run}/activations/a3`)).toMatchObject({
    node: 'Paint',
    settledAt: expect.any(Number),
    input: [{ source: 'Ask', text: 'Red.' }],
    output: [{ text: 'Red.' }],
  });
  expect(await get(`${run}/activations/a9`)).toMatchObject({ status: 404, code: 'ACTIVATION_UNKNOWN' });
  expect(await get('/v1/runs/nothing/graph')).toMatchObject({ status: 404, code: 'RUN_UNKNOWN' });
});

it('tells the units of a fan-out and what they called', async () => {
  const run = await start(`graph:
  id: poem
  nodes:
    - { id: Three, type: literal, config: { content: '["a", "b", "c"]' } }
    - { id: Poet, type: agent, config: { provider: scripted, name: m, params: { default: Done } } }
  edges:
    - { from: Three, to: Poet, dynamic: { type: map, config: { split_type: json_array } } }
`);
  const data = (await get(`${run}/activations`))['data'] as { node: string; unit?: number; calls: unknown[] }[]; // a page
  const units = data.filter(({ unit }) => unit !== undefined);

  expect(units.map(({ unit }) => unit)).toEqual([0, 1, 2]);
  for (const { calls } of units)
    expect(calls).toMatchObject([{ step: expect.any(Number), completedAt: expect.any(Number) }]);
});
