import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';

const question =
  'graph:\n  id: question\n  nodes:\n    - { id: Ask, type: human, config: { description: What shall it be? } }\n';
/** Fails once in each run. */
const shaky = `graph:
  id: shaky
  nodes:
    - id: A
      type: agent
      config:
        provider: scripted
        name: m
        params: { rules: [{ when: { call: 1 }, replies: [{ error: { status: 400, message: refused } }] }], default: fine }
`;

const api = openBeforeAll(serveApi);
const acme = openBeforeAll(() => api.tenant('acme', 'run', 'read'));
const otherTenant = openBeforeAll(() => api.tenant('other', 'run', 'read'));
beforeAll(async () => {
  await api.another();
});

async function start(yaml: string, tag: string, by = acme.key): Promise<string> {
  const { body } = await api.ask(by, '/v1/runs', { workflow: { yaml }, input: 'x', tags: [tag] });
  return String(body['runId']);
}

const statusOf = async (run: string, by = acme.key) => (await api.ask(by, `/v1/runs/${run}`)).body['status'];

/** The bulk action once it is finished. */
async function finished(id: unknown): Promise<Record<string, unknown>> {
  for (;;) {
    const { body } = await acme.ask(`/v1/bulk/${String(id)}`);
    if (body['status'] === 'finished') return body;
    await sleep(20);
  }
}

describe('POST /v1/bulk', () => {
  it('cancels all runs of a filter, however many there are, and no others', async () => {
    const runs = await Promise.all(Array.from({ length: 130 }, () => start(question, 'many')));
    const [other, foreign] = await Promise.all([start(question, 'few'), start(question, 'many', otherTenant.key)]);
    const [first = ''] = runs;
    await acme.ask(`/v1/runs/${first}/cancel`, {});

    const asked = { action: 'cancel', filter: { tag: 'many' }, reason: 'not needed' };
    const { status, headers, body } = await acme.ask('/v1/bulk', asked);

    expect([status, headers.get('location')]).toEqual([202, `/v1/bulk/${String(body['id'])}`]);
    expect(await finished(body['id'])).toMatchObject({ action: 'cancel', done: 129, left: 0 });
    expect(new Set(await Promise.all(runs.slice(-5).map((run) => statusOf(run))))).toEqual(new Set(['cancelled']));
    const { error } = (await acme.ask(`/v1/runs/${runs.at(-1)}`)).body as { error: { message: string } }; // it was cancelled
    expect(error.message).toContain('not needed');
    expect([await statusOf(other), await statusOf(foreign, otherTenant.key)]).toEqual(['waiting', 'waiting']);
  });

  it('retries all failed runs', async () => {
    const runs = await Promise.all([start(shaky, 'bad'), start(shaky, 'bad')]);
    for (const run of runs) await acme.ask(`/v1/runs/${run}?wait=30s&until=ended`);

    const { body } = await acme.ask('/v1/bulk', { action: 'retry', filter: { workflow: 'shaky' } });

    expect(await finished(body['id'])).toMatchObject({ done: 2, left: 0, total: 2, filter: { workflow: 'shaky' } });
    const list = await acme.ask('/v1/bulk?limit=1');
    expect(list.body['data']).toEqual([
      expect.objectContaining({ id: body['id'], action: 'retry', status: 'finished' }),
    ]);
    expect((await otherTenant.ask('/v1/bulk')).body).toEqual({ data: [], nextCursor: null });
  });

  it('cancels the listed runs, and no others', async () => {
    const runs = await Promise.all(Array.from({ length: 105 }, () => start(question, 'named')));
    const [kept = '', ended = '', ...others] = runs;
    const foreign = await start(question, 'named', otherTenant.key);
    await otherTenant.ask(`/v1/runs/${foreign}?wait=30s`);
    await acme.ask(`/v1/runs/${ended}/cancel`, {});

    const filter = { ids: [ended, 'nobody', foreign, ...others] };
    const { status, body } = await acme.ask('/v1/bulk', { action: 'cancel', filter });

    expect(status).toBe(202);
    expect(await finished(body['id'])).toMatchObject({ done: 103, left: 3 });
    expect(await statusOf(others.at(-1) ?? '')).toBe('cancelled');
    expect([await statusOf(kept), await statusOf(foreign, otherTenant.key)]).toEqual(['waiting', 'waiting']);
    const tooMany = { ids: Array.from({ length: 1001 }, (_, at) => `run_${at}`) };
    expect((await acme.ask('/v1/bulk', { action: 'cancel', filter: tooMany })).status).toBe(400);
  });

  it('is one bulk action for one idempotency key', async () => {
    const send = () =>
      acme.ask('/v1/bulk', { action: 'cancel', filter: { tag: 'none' } }, { 'idempotency-key': 'bulk-1' });
    const first = await send();
    expect((await send()).body).toEqual(first.body);
    expect(await finished(first.body['id'])).toMatchObject({ done: 0, left: 0 });
  });

  it('continues where a process has died', async () => {
    const runs: string[] = [];
    for (let at = 0; at < 3; at += 1) runs.push(await start(question, 'half'));
    const { data } = (await acme.ask('/v1/runs?tag=half')).body as { data: { runId: string; startedAt: number }[] }; // a page
    const [newest, next] = data;
    const bulk = {
      id: `bulk_${'0'.repeat(32)}`,
      action: 'cancel',
      filter: { tag: 'half' },
      createdAt: Date.now(),
      done: 1,
      left: 0,
    };
    const kept = JSON.stringify({ ...bulk, after: { run: newest?.runId, startedAt: newest?.startedAt } });
    await api.runtime.store.registry.hold(`bulk/acme/${bulk.id}`, kept, 60_000);

    const jobs = api.runtime.shared?.jobs.open('bulk');
    await jobs?.add([{ id: `acme~${bulk.id}`, data: { tenant: 'acme', bulk } }], { attempts: 1, delayMs: 1 });

    expect(await finished(bulk.id)).toMatchObject({ done: 3 });
    expect(await statusOf(String(newest?.runId))).toBe('waiting');
    expect(await statusOf(String(next?.runId))).toBe('cancelled');
  });

  it.each([
    { what: 'no filter', body: { action: 'cancel' } },
    { what: 'a filter that names nothing', body: { action: 'cancel', filter: {} } },
    { what: 'runs that have not failed, to be retried', body: { action: 'retry', filter: { status: 'completed' } } },
    { what: 'another action', body: { action: 'remove', filter: { tag: 'many' } } },
  ])('refuses $what', async ({ body }) => {
    expect(await acme.ask('/v1/bulk', body)).toMatchObject({ status: 400, body: { code: 'REQUEST_INVALID' } });
  });

  it('is visible to its tenant only', async () => {
    const { body } = await acme.ask('/v1/bulk', { action: 'cancel', filter: { tag: 'none' } });
    const path = `/v1/bulk/${String(body['id'])}`;
    expect(await otherTenant.ask(path)).toMatchObject({ status: 404, body: { code: 'BULK_UNKNOWN' } });
  });
});
