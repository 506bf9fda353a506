import { randomUUID } from 'node:crypto';
import { connect } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { waitUntil } from '../../support/waiting.ts';

const asking = (id: string, people = 1) => `graph:
  id: ${id}
  nodes:
    - { id: Begin, type: literal, config: { content: "Well?" } }
${Array.from({ length: people }, (_, at) => `    - { id: P${at}, type: human, config: { description: What now? } }`).join('\n')}
  edges: [${Array.from({ length: people }, (_, at) => `{ from: Begin, to: P${at} }`).join(', ')}]
  start: [Begin]
  end: [P0]
`;

interface ListedTask {
  readonly id: string;
  readonly runId: string;
  readonly status: string;
  readonly assignee?: string;
}

const api = openBeforeAll(serveApi);
let tenant: string;
let key: string;
let start: (id: string, people?: number) => Promise<string>;

/** A tenant of one's own, so that its questions are the only ones. */
async function newTenant(): Promise<void> {
  tenant = `t-${randomUUID().slice(0, 8)}`;
  const own = await api.tenant(tenant, 'read', 'run', 'answer');
  key = own.key;
  start = (id, people = 1) => own.start(asking(id, people));
}

/** All open questions, page by page. */
async function pages(query = ''): Promise<ListedTask[][]> {
  const found: ListedTask[][] = [];
  for (let cursor = ''; ; ) {
    const { status, body } = await api.ask(key, `/v1/tasks?${query}${cursor}`);
    expect(status).toBe(200);
    found.push(body['data'] as ListedTask[]); // the shape of a page
    if (body['nextCursor'] === null) return found;
    cursor = `&cursor=${body['nextCursor']}`;
  }
}
const runsOf = async (query?: string) => (await pages(query)).flat().map(({ runId }) => runId);

it('lists the open questions of all runs, newest run first, in pages', async () => {
  await newTenant();
  expect(await pages()).toEqual([[]]);
  const [first, three, third] = [await start('poem'), await start('prose', 3), await start('poem')];

  expect(await runsOf()).toEqual([third, three, three, three, first]);
  const two = await pages('limit=2');
  expect(two.map((page) => page.length)).toEqual([2, 2, 1]);
  expect(new Set(two.flat().map(({ id }) => id)).size).toBe(5);
  expect(await runsOf('workflow=poem')).toEqual([third, first]);
  const { nextCursor } = (await api.ask(key, '/v1/tasks?limit=2')).body;
  expect(await runsOf(`workflow=poem&cursor=${nextCursor}`)).toEqual([first]);
  expect(await runsOf(`run=${three}&limit=2`)).toEqual([three, three, three]);
  expect(await runsOf(`run=${three}&workflow=poem`)).toEqual([]);
});

it('omits answered, stopped and cancelled questions, and lists resumed ones again', async () => {
  await newTenant();
  const [answered, stopped, cancelled] = [await start('a'), await start('b'), await start('c')];
  const [task] = (await pages(`run=${answered}`)).flat();
  await api.ask(key, `/v1/tasks/${task?.id}/answer`, { text: 'Red.' });
  await api.ask(key, `/v1/runs/${answered}?wait=30s`);
  await api.ask(key, `/v1/runs/${stopped}/stop`, {});
  await api.ask(key, `/v1/runs/${cancelled}/cancel`, {});
  expect(await runsOf()).toEqual([]);

  expect((await api.ask(key, `/v1/tasks/${task?.id}`)).body).toMatchObject({
    status: 'closed',
    node: 'P0',
    prompt: 'What now?',
  });
  await api.ask(key, `/v1/runs/${stopped}/resume`, { to: 'P0', input: 'Go on.' });
  await api.ask(key, `/v1/runs/${stopped}?wait=30s`);
  expect(await runsOf()).toContain(stopped);
});

it('allows one person to claim a question for a limited time', async () => {
  await newTenant();
  const run = await start('claimed', 2);
  const [task, other] = (await pages(`run=${run}`)).flat();
  const claim = (assignee: string, seconds = 60) => api.ask(key, `/v1/tasks/${task?.id}/claim`, { assignee, seconds });
  const both = await Promise.all([claim('ann'), claim('bob')]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  const [winner, loser] = both[0]?.status === 200 ? ['ann', 'bob'] : ['bob', 'ann'];

  const claimed = { status: 'claimed', assignee: winner, claimedUntil: expect.any(Number) };
  expect((await claim(winner ?? '')).body).toMatchObject(claimed);
  expect((await pages('status=claimed')).flat()).toMatchObject([{ id: task?.id, assignee: winner }]);
  expect((await pages('status=open')).flat()).toMatchObject([{ id: other?.id }]);
  const answer = (assignee?: string) => api.ask(key, `/v1/tasks/${task?.id}/answer`, { text: 'Red.', assignee });
  expect(await answer(loser)).toMatchObject({ status: 409, body: { code: 'TASK_CLAIMED' } });
  expect(await answer()).toMatchObject({ status: 409, body: { code: 'TASK_CLAIMED' } });
  await api.ask(key, `/v1/tasks/${task?.id}/release`, { assignee: loser });
  expect(await answer(loser)).toMatchObject({ status: 409 });
  expect(await answer(winner)).toMatchObject({ status: 200 });
  expect(await claim(winner ?? '')).toMatchObject({ status: 409, body: { code: 'TASK_ANSWERED' } });

  await api.ask(key, `/v1/tasks/${other?.id}/claim`, { assignee: 'ann', seconds: 1 });
  await waitUntil(async () => (await api.ask(key, `/v1/tasks/${other?.id}`)).body['status'] === 'open');
  expect((await api.ask(key, `/v1/tasks/${other?.id}/answer`, { text: 'Blue.' })).status).toBe(200);
});

it('accepts either a claim or an answer of another person when both arrive together', async () => {
  await newTenant();
  const run = await start('raced', 30);
  const tasks = (await pages(`run=${run}&limit=100`)).flat();
  expect(tasks).toHaveLength(30);
  const outcomes = await Promise.all(
    tasks.map(async ({ id }) => {
      const claim = api.ask(key, `/v1/tasks/${id}/claim`, { assignee: 'bob', seconds: 60 });
      const answers = ['ann', undefined].map((assignee) =>
        api.ask(key, `/v1/tasks/${id}/answer`, { text: 'Red.', assignee }),
      );
      const [claimed, ...answered] = await Promise.all([claim, ...answers]);
      return { claimed: claimed.status, answered: answered.map(({ status }) => status).sort() };
    }),
  );

  for (const { claimed, answered } of outcomes) expect(answered).toEqual(claimed === 200 ? [409, 409] : [200, 409]);
});

it('reports an outage instead of an empty list', async () => {
  await newTenant();
  const run = await start('unreadable');
  const connection = connect(api.redis.url, 'test');
  const state = `${api.redis.prefix}:run:${tenant}~${run}:records`;
  await connection.rename(state, `${state}:away`);
  await connection.set(state, 'something else');

  expect((await api.ask(key, '/v1/tasks')).status).toBe(500);
  await connection.rename(`${state}:away`, state);
  expect(await runsOf()).toEqual([run]);
  connection.disconnect();
});

it('has no question that was never asked', async () => {
  await newTenant();
  const run = await start('x');
  for (const id of [`${run}.a1`, `${run}.a99`, 'run_none.a1']) {
    expect(await api.ask(key, `/v1/tasks/${id}`)).toMatchObject({ status: 404, body: { code: 'TASK_UNKNOWN' } });
  }
  expect((await api.ask(key, '/v1/tasks?run=run_none')).status).toBe(404);
});
