import { expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
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

const api = openBeforeAll(serveApi);
const acme = openBeforeAll(() => api.tenant('acme', 'read', 'run', 'answer'));

const get = async (path: string) => (await acme.ask(path)).body;

const start = async (yaml: string) => `/v1/runs/${await acme.start(yaml)}`;

const statuses = async (run: string) => {
  const { graphs } = (await get(`${run}/graph`)) as {
    graphs: { nodes: { id: string; status: string; runs: number }[] }[];
  };
  return Object.fromEntries((graphs[0]?.nodes ?? []).map(({ id, status, runs }) => [id, `${status} ${runs}`]));
};

it('shows the state of each node during the run', async () => {
  const run = await start(asks);

  expect(await statuses(run)).toEqual({ Draft: 'done 1', Ask: 'waiting 0', Paint: 'idle 0', Idle: 'idle 0' });
  const [, waiting] = (await get(`${run}/activations`))['data'] as { id: string }[]; // the shape of a page
  expect(waiting).toMatchObject({ node: 'Ask', state: 'waiting', question: 'Which colour?' });
  expect(await get(`${run}/activations/${waiting?.id}`)).toMatchObject({
    input: [{ source: 'Draft', text: 'A fence.' }],
    output: [],
  });

  await acme.ask(`/v1/tasks/${run.split('/').at(-1)}.${waiting?.id}/answer`, { text: 'Red.' });
  await get(`${run}?wait=30s`);
  expect(await statuses(run)).toEqual({ Draft: 'done 1', Ask: 'done 1', Paint: 'done 1', Idle: 'idle 0' });
});

it('returns inputs and outputs, long after the run', async () => {
  const run = await start(asks);
  await acme.ask(`/v1/tasks/${run.split('/').at(-1)}.a2/answer`, { text: 'Red.' });
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

it('returns the units of a fan-out and their calls', async () => {
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

const units = (count: number) => `graph:
  id: units
  start: [Lines]
  end: [End]
  nodes:
    - { id: Lines, type: literal, config: { content: "${Array.from({ length: count }, (_, at) => `line ${at}`).join('\\n')}" } }
    - { id: Each, type: passthrough, config: {} }
    - { id: End, type: passthrough, config: {} }
    - { id: Never, type: passthrough, config: {} }
  edges:
    - { from: Lines, to: Each, dynamic: { type: map, config: { split_type: lines } } }
    - { from: Each, to: End }
    - { from: End, to: Never, condition: { type: keyword, config: { any: [never] } } }
`;

it('returns all activations of a run in compact columns', async () => {
  const run = await start(units(300));

  const timeline = await get(`${run}/timeline`);

  expect(timeline).toMatchObject({
    nodes: [
      { graph: '', node: 'Lines' },
      { graph: '', node: 'Each' },
      { graph: '', node: 'End' },
    ],
    iteration: [],
    microUsd: [],
    head: [],
    nextCursor: null,
  });
  const columns = timeline as Record<'id' | 'node' | 'state' | 'ready' | 'settled' | 'unit', readonly number[]>;
  expect(columns.id).toEqual(Array.from({ length: 303 }, (_, at) => at + 1));
  expect(columns.node.slice(0, 4)).toEqual([0, 1, 1, 1]);
  expect(columns.unit.slice(0, 4)).toEqual([-1, -1, 0, 1]);
  expect(Math.min(...columns.settled)).toBeGreaterThanOrEqual(0);
  // 100 KB for 3,000.
  expect(JSON.stringify(timeline).length).toBeLessThan(10_000);
});

it('returns a timeline in pages, with the first words of outputs on request', async () => {
  const run = await start(units(5));

  const first = await get(`${run}/timeline?limit=4&heads=true`);
  const second = await get(`${run}/timeline?limit=4&heads=true&after=${first['nextCursor']}`);

  expect(first).toMatchObject({ id: [1, 2, 3, 4], nextCursor: 'a4' });
  expect(first['head']).toEqual(['line 0\nline 1\nline 2\nline 3\nline 4', '', 'line 0', 'line 1']);
  expect(second).toMatchObject({ id: [5, 6, 7, 8], nextCursor: null });
  expect(await get(`${run}/timeline?limit=10001`)).toMatchObject({ code: 'REQUEST_INVALID' });
  expect(await get('/v1/runs/nothing/timeline')).toMatchObject({ code: 'RUN_UNKNOWN' });
});

it('filters activations, and returns their routes and equal outputs', async () => {
  const [run, twin] = [await start(units(5)), await start(units(5))];
  const query = 'activations?node=Each&graph=&state=completed&outputs=heads&limit=3';
  type Listed = { data: { id: string; lastOutput: { digest: string } }[]; nextCursor: string };

  const page = (await get(`${run}/${query}`)) as unknown as Listed;
  const rest = await get(`${run}/${query}&cursor=${page.nextCursor}`);
  const other = (await get(`${twin}/${query}`)) as unknown as Listed;

  expect(page.data).toMatchObject([
    {
      unit: 0,
      scope: 's1',
      state: 'completed',
      routes: [{ edge: 1, to: 'End', met: true }],
      lastOutput: { text: 'line 0' },
    },
    { unit: 1 },
    { unit: 2 },
  ]);
  expect(rest).toMatchObject({ data: [{ unit: 3 }, { unit: 4 }], nextCursor: null });
  expect(other.data.map(({ lastOutput }) => lastOutput.digest)).toEqual(
    page.data.map(({ lastOutput }) => lastOutput.digest),
  );
  expect(new Set(page.data.map(({ lastOutput }) => lastOutput.digest)).size).toBe(3);
  expect((await get(`${run}/activations?node=End`))['data']).toMatchObject([
    { node: 'End', routes: [{ to: 'Never', met: false }] },
  ]);
  expect(await get(`${run}/activations?state=odd`)).toMatchObject({ code: 'REQUEST_INVALID' });
});

it('shows timelines to their tenant only', async () => {
  const run = await start(units(1));
  const other = await api.keyOf('other', 'read');

  expect((await api.ask(other, `${run}/timeline`)).status).toBe(404);
  expect((await api.ask(other, `${run}/activations?node=Each`)).status).toBe(404);
});
