import { expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';

const waits = `graph:
  id: waits
  scopes:
    - { id: talk, nodes: [H], termination: { type: max_turns, config: { max_turns: 9 } } }
  termination:
    all_of:
      - { type: max_messages, config: { max_messages: 2 }, id: enough said }
      - { type: external, config: { name: enough } }
  nodes:
    - { id: A, type: literal, config: { content: Hello. } }
    - { id: H, type: human, config: {} }
  edges: [{ from: A, to: H }]
`;

const api = openBeforeAll(serveApi);
const acme = openBeforeAll(() => api.tenant('acme', 'read', 'run'));

it('shows the progress of terminations of a run and its parts, and why they have stopped', async () => {
  const wanted = { workflow: { yaml: waits }, input: 'Go.' };
  const { body } = await acme.ask('/v1/runs', wanted, { prefer: 'wait=30' });
  const run = `/v1/runs/${body['runId']}`;
  const terminations = async () => (await acme.ask(`${run}/termination`)).body['data'];
  const reason = 'max_messages: 2 of 2';
  const met = { type: 'max_messages', id: 'enough said', state: 2, met: [reason] };

  const before = await terminations();
  expect(before).toHaveLength(2);
  expect(before).toContainEqual(expect.objectContaining({ scope: 'talk', status: 'running', execution: 's0' }));
  expect(before).toContainEqual(
    expect.objectContaining({
      scope: '',
      graph: '',
      status: 'running',
      segment: 1,
      stop: null,
      conditions: [
        { path: '$', type: 'all_of' },
        expect.objectContaining({ path: '$.0', ...met }),
        { path: '$.1', type: 'external', config: { name: 'enough' } },
      ],
    }),
  );

  await acme.ask(`${run}/signals/enough`, {});
  expect(await terminations()).toContainEqual(
    expect.objectContaining({
      scope: '',
      status: 'terminated',
      stop: { code: 'max_messages', text: expect.stringContaining(reason) },
    }),
  );
});

it('resets counts while no activation is executing, and gives a completed run a further task', async () => {
  const start = async (yaml: string) => `/v1/runs/${await acme.start(yaml)}`;
  const waiting = await start(waits);
  const { status, body } = await acme.ask(`${waiting}/termination/reset`, {});
  expect([status, JSON.stringify(body)]).toEqual([200, expect.not.stringContaining('"met"')]);
  // The other condition of the two is met no more.
  expect((await acme.ask(`${waiting}/signals/enough`, {})).body['status']).toBe('waiting');

  const greeting = await start('graph:\n  id: g\n  nodes: [{ id: A, type: passthrough, config: {} }]\n');
  const resume = (more: unknown) => acme.ask(`${greeting}/resume`, more);
  expect(await resume({})).toMatchObject({ status: 422, body: { code: 'RESUME_INPUT_REQUIRED' } });
  expect(await acme.ask(`${greeting}/termination/reset`, {})).toMatchObject({ body: { code: 'RUN_ENDED' } });
  expect(await resume({ input: 'Again.' })).toMatchObject({ status: 200 });
  const { body: ended } = await acme.ask(`${greeting}?until=ended&wait=30s`);
  expect(ended).toMatchObject({ status: 'completed', output: 'Again.' });
});
