import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ServedApi } from '../support/api.ts';
import { serveApi } from '../support/api.ts';

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

let api: ServedApi;
let key: string;
beforeAll(async () => {
  api = await serveApi();
  key = await api.keyOf('acme', 'read', 'run');
});
afterAll(() => api.close());

it('shows how near a run and its parts are to their end, and why they have ended', async () => {
  const wanted = { workflow: { yaml: waits }, input: 'Go.' };
  const { body } = await api.ask(key, '/v1/runs', wanted, { prefer: 'wait=30' });
  const run = `/v1/runs/${body['runId']}`;
  const terminations = async () => (await api.ask(key, `${run}/termination`)).body['data'];
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

  await api.ask(key, `${run}/signals/enough`, {});
  expect(await terminations()).toContainEqual(
    expect.objectContaining({
      scope: '',
      status: 'terminated',
      stop: { code: 'max_messages', text: expect.stringContaining(reason) },
    }),
  );
});
