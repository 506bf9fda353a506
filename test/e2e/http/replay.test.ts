import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';

const yaml = `
graph:
  id: two
  nodes:
    - { id: A, type: literal, config: { content: hello } }
    - { id: B, type: passthrough, config: {} }
  edges:
    - { from: A, to: B }
`;

const api = openBeforeAll(serveApi);
const acme = openBeforeAll(() => api.tenant('acme', 'run', 'read'));

const ran = (id: string) => acme.ask(`/v1/runs/${id}?wait=10s`);

describe('replays and forks over HTTP', () => {
  it('are made of a run of the caller, under ids of the caller', async () => {
    await acme.ask('/v1/runs', { workflow: { yaml }, runId: 'first' }, { prefer: 'wait=10' });

    const replayed = await acme.ask('/v1/runs/first/replay', { runId: 'again' });
    const forked = await acme.ask('/v1/runs/first/fork', { at: 'a1', output: 'edited', runId: 'other' });

    expect([replayed.status, forked.status]).toEqual([201, 201]);
    expect((await ran('again')).body).toMatchObject({ status: 'completed', output: 'hello' });
    expect((await ran('other')).body).toMatchObject({ status: 'completed', output: 'edited' });
  });

  it('forks under other variables, with another prompt and model, and under another text, and previews the cost', async () => {
    const text = `
vars: { WORD: hello }
graph:
  id: team
  nodes:
    - { id: A, type: literal, config: { content: "\${WORD}" } }
    - { id: B, type: agent, config: { provider: scripted, name: parrot, params: { default: said } } } # speaks
  edges:
    - { from: A, to: B }
`;
    await acme.ask('/v1/runs', { workflow: { yaml: text }, runId: 'team' }, { prefer: 'wait=10' });
    const forked = async (runId: string, body: object) => {
      const answer = await acme.ask('/v1/runs/team/fork', { ...body, runId });
      await ran(runId);
      return answer;
    };
    const textOf = async (id: string) => String((await acme.ask(`/v1/runs/${id}/workflow`)).body['yaml']);

    expect((await forked('other-words', { at: 'a1', vars: { WORD: 'goodbye' } })).status).toBe(201);
    expect((await ran('other-words')).body).toMatchObject({ outputs: { A: 'goodbye' } });
    expect((await forked('other-role', { at: 'a2', prompt: 'Be brief.', model: 'crow' })).status).toBe(201);
    expect(await textOf('other-role')).toMatch(/role: Be brief\., .*name: crow.*# speaks/);
    const longer = text.replace('default: said', 'default: sung');
    await forked('other-text', { at: 'a2', workflow: { yaml: longer } });
    expect((await ran('other-text')).body).toMatchObject({ status: 'completed', output: 'sung' });
    const refused = await forked('refused', { at: 'a2', workflow: { yaml } });
    expect(refused).toMatchObject({ status: 422, body: { code: 'FORK_PLAN_DIFFERS' } });
    const preview = await acme.ask('/v1/runs/team/fork?at=a2');
    expect(preview.body['settings']).toEqual({ prompt: '', model: 'parrot' });
    const literal = await forked('no-model', { at: 'a1', prompt: 'Be brief.' });
    expect(literal).toMatchObject({ status: 422, body: { code: 'FORK_NODE_ASKS_NO_MODEL' } });
    expect(preview.body).toMatchObject({ kept: 1, live: ['a2'], following: 0, own: { calls: 1 }, after: { calls: 0 } });
  });

  it('have the id of their source without the tenant, in pages and in streams', async () => {
    await acme.ask('/v1/runs', { workflow: { yaml }, runId: 'source' }, { prefer: 'wait=10' });
    await acme.ask('/v1/runs/source/replay', { runId: 'repeated' });
    await acme.ask('/v1/runs/source/fork', { at: 'a1', runId: 'branched' });
    await Promise.all([ran('repeated'), ran('branched')]);

    const pageOf = async (id: string) => {
      const { body } = await acme.ask(`/v1/runs/${id}/events`, undefined, { accept: 'application/json' });
      return body['data'] as { event: Record<string, unknown> }[]; // the contract's
    };
    const [started] = await pageOf('repeated');
    expect(started?.event).toMatchObject({ type: 'run.started', origin: { replay: { run: 'source' } } });
    const forked = (await pageOf('branched')).find(({ event }) => event['type'] === 'run.forked');
    expect(forked?.event['of']).toBe('source');

    for (const id of ['repeated', 'branched']) {
      const headers = { authorization: `Bearer ${acme.key}` };
      const stream = await fetch(`${api.orchestrator.url}/v1/runs/${id}/events`, { headers });
      const text = await stream.text();
      expect(text).toContain('source');
      expect(text).not.toContain('acme~');
    }
  });

  it('are refused under the id of another run, and created once under the same id', async () => {
    for (const runId of ['source', 'unrelated']) {
      await acme.ask('/v1/runs', { workflow: { yaml }, runId }, { prefer: 'wait=10' });
    }
    const replay = (runId: string, more = {}) => acme.ask('/v1/runs/source/replay', { runId, ...more });
    const fork = (runId: string, more = {}) => acme.ask('/v1/runs/source/fork', { runId, at: 'a1', ...more });
    const made = [await replay('copy'), await replay('copy'), await fork('branch'), await fork('branch')];
    const refused = [
      await replay('unrelated'),
      await fork('unrelated'),
      await replay('branch'),
      await fork('copy'),
      await replay('copy', { liveFrom: 'a2' }),
      await fork('branch', { at: 'a2' }),
      await replay('source'),
    ];

    expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    for (const one of refused) expect(one).toMatchObject({ status: 409, body: { code: 'RUN_EXISTS' } });
  });

  it('are refused to readers, to other tenants, and for unknown activations', async () => {
    const reader = await api.keyOf('acme', 'read');
    const otherKey = await api.keyOf('other', 'run', 'read');
    await acme.ask('/v1/runs', { workflow: { yaml }, runId: 'mine' }, { prefer: 'wait=10' });

    const answers = await Promise.all([
      api.ask(reader, '/v1/runs/mine/replay', {}),
      api.ask(otherKey, '/v1/runs/mine/fork', { at: 'a1' }),
      acme.ask('/v1/runs/mine/fork', { at: 'a99' }),
      acme.ask('/v1/runs/mine/replay', { liveFrom: 'nine' }),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([403, 404, 404, 400]);
  });
});
