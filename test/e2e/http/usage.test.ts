import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import type { ApiResponse } from '../../support/http/http.ts';
import { longestReply } from '../../support/provider/longest-reply.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';

const api = openBeforeAll(() => serveApi({ outbound: ['loopback'] }));
const model = openBeforeAll(() => startFakeProvider({ reply: longestReply }));
const acme = openBeforeAll(() => api.tenant('acme', 'run', 'read'));
const otherTenant = openBeforeAll(() => api.tenant('beta', 'run', 'read'));

/** Each prompt has three tokens, each answer 100; the price of `cheap` is known, that of `free` is not. */
const asking = (name: string, ...models: readonly string[]) => `
graph:
  id: ${name}
  prices: {cheap: {input: 1, output: 10}}
  nodes: [${models
    .map(
      (one, at) =>
        `{id: N${at}, type: agent, config: {provider: openai, name: ${one}, base_url: '${model.at('ok')}', api_key: k, params: {max_tokens: 100}}}`,
    )
    .join(', ')}]
  edges: [${models
    .slice(1)
    .map((_, at) => `{from: N${at}, to: N${at + 1}, keep_message: true}`)
    .join(', ')}]
`;

type Line = Record<string, unknown>;
const usageOf = async (whose: string, query = '') => {
  const { status, body } = await api.ask(whose, `/v1/usage${query}`);
  return { status, body, data: body['data'] as readonly Line[], total: body['total'] as Line }; // as the contract has it
};
const started = (whose: string, body: object): Promise<ApiResponse> =>
  api.ask(whose, '/v1/runs', { input: 'abc', ...body }, { prefer: 'wait=20' });

describe('the usage of a tenant', () => {
  it('has calls, tokens and money by day, workflow and model, and how runs ended', async () => {
    const dayBefore = new Date().toISOString().slice(0, 10);
    await started(acme.key, { workflow: { yaml: asking('poem', 'cheap', 'free') }, runId: 'one' });
    await started(acme.key, { workflow: { yaml: asking('essay', 'cheap') }, runId: 'two' });
    const dayAfter = new Date().toISOString().slice(0, 10);

    const byDay = await usageOf(acme.key);
    const byWorkflow = await usageOf(acme.key, '?by=workflow');
    const byModel = await usageOf(acme.key, '?by=model');
    const both = await usageOf(acme.key, '?by=day&by=workflow&workflow=essay');

    expect(byDay.data.map(({ day }) => day)).toEqual([...new Set([dayBefore, dayAfter])]);
    expect(byDay.total).toMatchObject({ calls: 3, unpriced: 1, runs: 2, completed: 2, failed: 0, budgetStopped: 0 });
    expect(byDay.total['completionTokens']).toBe(300);
    expect(byWorkflow.data).toMatchObject([
      { workflow: 'poem', calls: 2, runs: 1 },
      { workflow: 'essay', calls: 1, microUsd: 1003, runs: 1 },
    ]);
    expect(byModel.data).toMatchObject([
      { model: 'cheap', calls: 2, unpriced: 0, runs: 0 },
      { model: 'free', calls: 1, microUsd: 0, unpriced: 1 },
    ]);
    expect(both.data).toMatchObject([{ day: expect.any(String), workflow: 'essay', calls: 1 }]);
  });

  it('counts no call of a replay, and of a fork only its new calls', async () => {
    await started(acme.key, { workflow: { yaml: asking('chain', 'cheap', 'cheap') }, runId: 'chain' });
    const before = await usageOf(acme.key, '?by=workflow&workflow=chain');

    await acme.ask('/v1/runs/chain/replay', { runId: 'replayed' });
    await acme.ask('/v1/runs/replayed?wait=20s');
    const replayed = await usageOf(acme.key, '?by=workflow&workflow=chain');
    await acme.ask('/v1/runs/chain/fork', { runId: 'forked', at: 'a2' });
    await acme.ask('/v1/runs/forked?wait=20s');
    await acme.ask('/v1/runs/forked/fork', { runId: 'forked-again', at: 'a2' });
    await acme.ask('/v1/runs/forked-again?wait=20s');
    const forked = await usageOf(acme.key, '?by=workflow&workflow=chain');

    expect(before.total).toMatchObject({ calls: 2, runs: 1 });
    expect(replayed.total).toEqual({ ...before.total, runs: 2, completed: 2 });
    expect(forked.total).toMatchObject({ calls: 4, runs: 4, completed: 4 });
  });

  it('has runs that the budget stopped until they continue with more', async () => {
    const yaml = asking('tight', 'cheap', 'cheap', 'cheap');
    await started(acme.key, { workflow: { yaml }, runId: 'tight', budget: { tokens: 250 } });
    const stopped = await usageOf(acme.key, '?by=workflow&workflow=tight');
    const stoppedRuns = async () => (await acme.ask('/v1/runs?stop=budget')).body['data'];
    const listed = await stoppedRuns();

    await acme.ask('/v1/runs/tight/resume', { budget: { tokens: 5000 } });
    await acme.ask('/v1/runs/tight?wait=20s');
    const resumed = await usageOf(acme.key, '?by=workflow&workflow=tight');

    expect(stopped.total).toMatchObject({ runs: 1, terminated: 1, budgetStopped: 1 });
    expect(listed).toMatchObject([{ runId: 'tight', status: 'terminated', stopCode: 'budget' }]);
    expect(await stoppedRuns()).toEqual([]);
    expect(resumed.total).toMatchObject({ calls: 3, runs: 1, terminated: 0, completed: 1, budgetStopped: 0 });
  });

  it('has what was reserved for lost calls with their model, also of models without any other call', async () => {
    model.say('mute', { silence: true });
    const yaml = asking('dropped', 'mute');
    await acme.ask('/v1/runs', { workflow: { yaml }, input: 'abc', runId: 'dropped', budget: { tokens: 5000 } });
    await model.asked(1, 'mute');
    await acme.ask('/v1/runs/dropped/cancel', {});
    await acme.ask('/v1/runs/dropped?wait=20s');

    const byModel = await usageOf(acme.key, '?by=model&workflow=dropped');

    expect(byModel.data).toMatchObject([{ model: 'mute', calls: 0, lostTokens: byModel.total['lostTokens'] }]);
    expect(byModel.total['lostTokens']).toBeGreaterThan(100);
  });

  it('is refused to others, who have their own', async () => {
    expect((await usageOf(otherTenant.key)).total).toMatchObject({ calls: 0, runs: 0 });
    for (const query of ['?tenant=acme', '?by=tenant', '?by=day&by=tenant']) {
      expect(await usageOf(otherTenant.key, query)).toMatchObject({ status: 403, body: { code: 'SCOPE_MISSING' } });
    }
    expect((await usageOf(otherTenant.key, '?tenant=beta')).status).toBe(200);
    expect(await usageOf(acme.key, '?since=2030-01-01&until=2029-01-01')).toMatchObject({ status: 400 });
    expect((await usageOf(acme.key, '?until=2020-01-01')).data).toEqual([]);
  });
});

describe('the usage of all tenants', () => {
  it('is told to operators, by tenant and page by page', async () => {
    const operator = await api.keyOf('default', 'admin');
    await started(otherTenant.key, { workflow: { yaml: asking('poem', 'cheap') }, runId: 'other' });

    const all = await usageOf(operator, '?by=tenant');
    const first = await usageOf(operator, '?by=tenant&limit=1');
    const second = await usageOf(operator, `?by=tenant&limit=1&cursor=${first.body['nextCursor']}`);

    expect(new Set(all.data.map(({ tenant }) => tenant))).toEqual(new Set(['acme', 'beta']));
    expect([...first.data, ...second.data].map(({ tenant }) => tenant)).toEqual(['acme', 'beta']);
    expect(second.body['nextCursor']).toBeNull();
    expect(first.data[0]).toEqual(all.data.find(({ tenant }) => tenant === 'acme'));
    expect((await usageOf(operator, '?tenant=beta')).total).toMatchObject({ calls: 1, runs: 1 });
  });
});
