import type { RunGraphs } from '@millrace/api';
import { expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';

const review = `graph:
  id: review
  start: [Writer]
  end: [Final]
  nodes:
    - { id: Writer, type: agent, config: { provider: scripted, name: m, params: { default: A draft. } } }
    - { id: Reviewer, type: human, config: { description: Is it good? } }
    - { id: Guard, type: loop_counter, config: { max_iterations: 3 } }
    - { id: Clock, type: loop_timer, config: { max_duration: 2, duration_unit: minutes } }
    - { id: Final, type: passthrough, config: {} }
  edges:
    - { from: Writer, to: Reviewer }
    - { from: Reviewer, to: Final, condition: { type: keyword, config: { any: [ACCEPT, OK] } } }
    - { from: Reviewer, to: Guard, condition: { type: keyword, config: { none: [ACCEPT] } } }
    - { from: Reviewer, to: Clock, condition: { type: keyword, config: { none: [ACCEPT] } } }
    - { from: Reviewer, to: Writer, condition: { type: keyword, config: { none: [ACCEPT] } } }
    - { from: Guard, to: Writer }
    - { from: Guard, to: Final }
    - { from: Clock, to: Writer }
`;

const calls = `graph:
  id: calls
  nodes:
    - { id: Lines, type: literal, config: { content: "one\\ntwo\\nthree" } }
    - id: Each
      type: subgraph
      config:
        type: config
        config:
          id: each
          nodes:
            - { id: Inner, type: passthrough, config: {} }
            - { id: Last, type: passthrough, config: {} }
          edges:
            - { from: Inner, to: Last }
  edges:
    - { from: Lines, to: Each, dynamic: { type: map, config: { split_type: lines } } }
`;

const api = openBeforeAll(serveApi);
const acme = openBeforeAll(() => api.tenant('acme', 'read', 'run', 'answer'));

async function graphOf(run: string, query = ''): Promise<RunGraphs> {
  const { status, body } = await acme.ask(`/v1/runs/${run}/graph${query}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body as unknown as RunGraphs; // as its schema has it
}

async function answer(run: string, activation: string, text: string): Promise<void> {
  await acme.ask(`/v1/tasks/${run}.${activation}/answer`, { text });
  await acme.ask(`/v1/runs/${run}?wait=30s`);
}

const nodesOf = ({ graphs }: RunGraphs, of = '') =>
  Object.fromEntries((graphs.find((graph) => graph.key === of)?.nodes ?? []).map((node) => [node.id, node]));

it('shows counters, passed edges and open questions of a loop', async () => {
  const run = await acme.start(review);
  await answer(run, 'a2', 'No.');

  const shown = await graphOf(run);

  expect(shown).toMatchObject({ status: 'waiting', usage: { calls: 2 }, activations: 6 });
  expect(shown.now).toBeGreaterThanOrEqual(shown.at);
  expect(nodesOf(shown)).toMatchObject({
    Writer: { status: 'done', runs: 2, activations: 2, usage: { calls: 2 }, line: 6 },
    Reviewer: { status: 'waiting', runs: 1, live: 1, last: 'a6', line: 7, waitsFor: { type: 'person' } },
    Guard: { runs: 1, counter: { value: 1, limit: 3 } },
    Clock: { timer: { startedAt: expect.any(Number), limitMs: 120_000, emitted: false } },
    Final: { status: 'idle', runs: 0 },
  });
  const [graph] = shown.graphs;
  expect(graph?.cycles).toEqual([{ nodes: [0, 1, 2, 3], iteration: 2, limit: null, live: true }]);
  expect(graph?.edges.slice(0, 3)).toMatchObject([
    { index: 0, from: 'Writer', to: 'Reviewer', passed: 2 },
    { index: 1, condition: 'contains "ACCEPT" or "OK"', passed: 0, missed: true },
    { index: 2, condition: 'without "ACCEPT"', passed: 1 },
  ]);
});

it('counts the executions of nodes of a graph after its calls have ended', async () => {
  const run = await acme.start(calls);

  const shown = await graphOf(run);

  expect(nodesOf(shown)).toMatchObject({
    Each: { status: 'done', runs: 1, units: { total: 3, completed: 3, failed: 0, live: 0 } },
  });
  expect(nodesOf(shown, 'Each')).toMatchObject({
    Inner: { status: 'done', runs: 3, activations: 3, line: 12 },
    Last: { status: 'done', runs: 3 },
  });
});

it('shows the signal or the time that a node waits for', async () => {
  const yaml = `graph:
  id: waits
  start: [Paid, Later]
  end: [Paid]
  nodes:
    - { id: Paid, type: wait_for, config: { event: paid, timeout: 1h } }
    - { id: Later, type: delay, config: { for: 1h } }
`;
  const { body } = await acme.ask('/v1/runs', { workflow: { yaml }, input: 'Go.' });
  const run = String(body['runId']);
  await expect
    .poll(async () => nodesOf(await graphOf(run)))
    .toMatchObject({
      Paid: { status: 'waiting', waitsFor: { type: 'event', event: 'paid', until: expect.any(Number) } },
      Later: { status: 'waiting', waitsFor: { type: 'time', until: expect.any(Number) } },
    });
  await acme.ask(`/v1/runs/${run}/cancel`, {});
});

it('shows a run as of any of its events', async () => {
  const run = await acme.start(review);
  const asked = await graphOf(run);
  await answer(run, 'a2', 'ACCEPT');

  const past = await graphOf(run, `?at=${asked.event}`);
  const first = await graphOf(run, '?at=1-0');

  expect({ ...past, now: 0 }).toEqual({ ...asked, now: 0 });
  expect(nodesOf(first)).toMatchObject({ Writer: { status: 'idle', activations: 0 } });
  expect(await graphOf(run)).toMatchObject({ status: 'completed' });
  expect((await acme.ask(`/v1/runs/${run}/graph?at=9999-0`)).body).toMatchObject({ code: 'EVENT_UNKNOWN' });
  expect((await acme.ask(`/v1/runs/${run}/graph?at=soon`)).body).toMatchObject({ code: 'REQUEST_INVALID' });
});

it('responds with 304 while nothing has changed', async () => {
  const run = await acme.start(review);
  const path = `/v1/runs/${run}/graph`;
  const { headers } = await acme.ask(path);
  const tag = headers.get('etag') ?? '';

  expect(tag).toMatch(/^(W\/)?"\d+-\d+-\d+"$/);
  expect((await acme.ask(path, undefined, { 'if-none-match': tag })).status).toBe(304);
  await answer(run, 'a2', 'ACCEPT');
  expect((await acme.ask(path, undefined, { 'if-none-match': tag })).status).toBe(200);
});

it('shows a run to its tenant only', async () => {
  const run = await acme.start(review);
  const other = await api.keyOf('other', 'read');

  expect((await api.ask(other, `/v1/runs/${run}/graph`)).status).toBe(404);
  expect((await api.ask(other, `/v1/runs/${run}/graph?at=1-0`)).status).toBe(404);
});

it('draws nodes and graphs by any name', async () => {
  const run = await acme.start(`graph:
  id: names
  nodes:
    - id: constructor
      type: subgraph
      config: { type: config, config: { id: inner, nodes: [{ id: constructor, type: passthrough, config: {} }] } }
`);

  const { graphs } = await graphOf(run);

  expect(graphs.map(({ key: graph, nodes }) => [graph, nodes.map(({ id, runs }) => [id, runs])])).toEqual([
    ['', [['constructor', 1]]],
    ['constructor', [['constructor', 1]]],
  ]);
});
