import { setTimeout as sleep } from 'node:timers/promises';
import { connect, createTenantRuntime } from '@millrace/runtime';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { waitUntil } from '../../support/waiting.ts';

const greeting = 'graph:\n  id: greeting\n  nodes:\n    - { id: A, type: literal, config: { content: hello } }\n';
const question =
  'graph:\n  id: question\n  nodes:\n    - { id: Ask, type: human, config: { description: What shall it be? } }\n';
const everySecond = '* * * * * *';
const never = '0 0 1 1 *';
const nested: unknown = JSON.parse(`${'['.repeat(1000)}${']'.repeat(1000)}`);

const api = openBeforeAll(serveApi);
const acme = openBeforeAll(() => api.tenant('acme', 'run', 'read'));
beforeAll(async () => {
  await api.another();
});

const change = (method: string, path: string, body?: object) =>
  fetch(`${api.orchestrator.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${acme.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const make = (body: object) => acme.ask('/v1/schedules', body);

/** Waits until the last time of a schedule has an outcome, and returns that time. */
async function lastOf(id: string, outcome: string): Promise<Record<string, unknown>> {
  for (;;) {
    const { body } = await acme.ask(`/v1/schedules/${id}`);
    const last = body['last'] as Record<string, unknown> | null; // the contract's
    if (last?.['outcome'] === outcome) return last;
    await sleep(20);
  }
}

/** Makes the store do something before it stores a schedule by one of its methods for the first time. */
function beforeStored(method: 'add' | 'exchange', act: () => Promise<unknown>): void {
  const { registry } = api.runtime.store;
  const store = registry[method].bind(registry) as (...entry: readonly unknown[]) => Promise<boolean>;
  let before: (() => Promise<unknown>) | undefined = act;
  const spy = vi.spyOn(registry, method).mockImplementation(async (...entry: readonly unknown[]) => {
    const now = entry[0] === 'schedules' ? before : undefined;
    if (now !== undefined) before = undefined;
    await now?.();
    return store(...entry);
  });
  onTestFinished(() => spy.mockRestore());
}

describe('a schedule', () => {
  it('is not stored, and not changed, with a file that is removed at that moment', async () => {
    const { files } = createTenantRuntime(api.runtime, 'acme');
    const upload = async (name: string) => {
      async function* pieces() {
        yield Buffer.from('of a task');
      }
      return (await files.add({ name, pieces: pieces() })).id;
    };
    const run = { workflow: { yaml: greeting } };
    const [kept, first, second] = [await upload('kept'), await upload('first'), await upload('second')];
    await make({ id: 'filed', cron: never, run: { ...run, attachments: [kept] } });
    beforeStored('add', () => files.remove(first));
    beforeStored('exchange', () => files.remove(second));

    const made = await make({ id: 'late', cron: never, run: { ...run, attachments: [first] } });
    const changed = await change('PATCH', '/v1/schedules/filed', { run: { ...run, attachments: [second] } });

    expect([made.status, made.body['code']]).toEqual([404, 'FILE_UNKNOWN']);
    expect([changed.status, await changed.json()]).toMatchObject([404, { code: 'FILE_UNKNOWN' }]);
    expect((await acme.ask('/v1/schedules/late')).status).toBe(404);
    expect((await acme.ask('/v1/schedules/filed')).body).toMatchObject({ run: { attachments: [kept] } });
    await change('DELETE', '/v1/schedules/filed');
  });

  it('skips its times during its last run, if it is so configured', async () => {
    await make({ id: 'polite', cron: everySecond, overlap: 'skip', run: { workflow: { yaml: question } } });

    const { runId } = await lastOf('polite', 'skipped');

    await change('DELETE', '/v1/schedules/polite');
    const { body } = await acme.ask('/v1/runs?tag=schedule:polite');
    expect((body['data'] as { runId: string }[]).map((run) => run.runId)).toEqual([runId]); // the contract's
  });

  it('reports why it started no run', async () => {
    await change('PUT', '/v1/workflows/old', { yaml: greeting });
    await make({ id: 'broken', cron: everySecond, run: { workflow: 'old' } });
    await change('DELETE', '/v1/workflows/old');

    expect(await lastOf('broken', 'failed')).toMatchObject({ error: { code: 'WORKFLOW_ARCHIVED' } });
    await change('DELETE', '/v1/schedules/broken');
  });

  it('records a time whose run was started before, when the process died that had started it', async () => {
    const at = Math.floor(Date.now() / 60_000) * 60_000;
    const runId = `tick_resumed_${new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
    await acme.ask('/v1/runs', { workflow: { yaml: greeting }, runId });
    await make({ id: 'resumed', cron: '* * * * *', run: { workflow: { yaml: greeting } } });
    const connection = connect(api.redis.url, 'test');
    const entry = JSON.stringify({ cron: '* * * * *', timezone: 'UTC', at, failures: 0 });
    await connection.hset(`${api.redis.prefix}:v4:ticks:entries`, 'acme~resumed', entry);
    await connection.zadd(`${api.redis.prefix}:v4:ticks`, at, 'acme~resumed');
    connection.disconnect();
    // Servers look at once when another schedule is made.
    await make({ id: 'other', cron: never, run: { workflow: { yaml: greeting } } });

    await lastOf('resumed', 'started');
    const { body } = await acme.ask('/v1/schedules/resumed/ticks');
    for (const id of ['resumed', 'other']) await change('DELETE', `/v1/schedules/${id}`);

    expect(body['data']).toContainEqual({ at, outcome: 'started', runId });
  });

  it('handles missed times as configured', async () => {
    // Each hour, half an hour from now, so that no time is due at this moment.
    const half = new Date(Date.now() + 30 * 60_000).getUTCMinutes();
    const hours = (ago: number) => new Date(Math.floor(Date.now() / 60_000) * 60_000 - (ago - 0.5) * 3_600_000);
    const policies = ['skip', 'once', 'all'] as const;
    const connection = connect(api.redis.url, 'test');
    for (const missed of policies) {
      const cron = `${half} * * * *`;
      await make({ id: `late-${missed}`, cron, missed, run: { workflow: { yaml: greeting } } });
      // What waits in Redis of a time that came three hours ago.
      const at = hours(3).getTime();
      const entry = JSON.stringify({ cron, timezone: 'UTC', at, failures: 0 });
      await connection.hset(`${api.redis.prefix}:v4:ticks:entries`, `acme~late-${missed}`, entry);
      await connection.zadd(`${api.redis.prefix}:v4:ticks`, at, `acme~late-${missed}`);
    }

    const runsOf = async (missed: string) => {
      const { body } = await acme.ask(`/v1/runs?tag=schedule:late-${missed}`);
      return (body['data'] as { runId: string }[]).map(({ runId }) => runId); // the contract's
    };
    await waitUntil(async () => (await runsOf('all')).length >= 3 && (await runsOf('once')).length >= 1);
    const name = (missed: string, ago: number) =>
      `tick_late-${missed}_${hours(ago)
        .toISOString()
        .replaceAll(/[-:]|\.\d+/g, '')}`;
    expect((await runsOf('all')).sort()).toEqual([3, 2, 1].map((ago) => name('all', ago)));
    expect(await runsOf('once')).toEqual([name('once', 1)]);
    const dueAt = async () => Number(await connection.zscore(`${api.redis.prefix}:v4:ticks`, 'acme~late-skip'));
    // It is done, and the next one is planned.
    await waitUntil(async () => (await dueAt()) >= hours(0).getTime());
    expect(await runsOf('skip')).toEqual([]);
    connection.disconnect();
  });

  it('starts at once when it is triggered', async () => {
    await make({ id: 'yearly', cron: never, timezone: 'Europe/Berlin', run: { workflow: { yaml: greeting } } });

    const first = await acme.ask('/v1/schedules/yearly/trigger', {}, { 'idempotency-key': 'now' });
    const again = await acme.ask('/v1/schedules/yearly/trigger', {}, { 'idempotency-key': 'now' });

    expect(first.status).toBe(201);
    expect(again.body['runId']).toBe(first.body['runId']);
    const done = await acme.ask(`/v1/runs/${String(first.body['runId'])}?wait=10s`);
    expect(done.body).toMatchObject({
      status: 'completed',
      tags: ['schedule:yearly'],
      origin: { type: 'schedule', of: 'yearly' },
    });
  });

  it('is changed, listed and deleted', async () => {
    await make({ id: 'change', cron: never, run: { workflow: { yaml: greeting } }, description: 'first' });

    const changed = await change('PATCH', '/v1/schedules/change', { cron: '30 6 * * 1', timezone: 'Asia/Tokyo' });

    const body = (await changed.json()) as { nextAt: number }; // the contract's
    expect(body).toMatchObject({ cron: '30 6 * * 1', timezone: 'Asia/Tokyo', description: 'first', missed: 'once' });
    expect(new Date(body.nextAt).toISOString()).toMatch(/T21:30:00/);
    const list = await acme.ask('/v1/schedules?limit=200');
    expect((list.body['data'] as { id: string }[]).map(({ id }) => id)).toContain('change'); // the contract's
    expect((await change('DELETE', '/v1/schedules/change')).status).toBe(200);
    expect((await change('GET', '/v1/schedules/change')).status).toBe(404);
  });

  it('keeps the outcomes of its last times, newest first, in pages, until it is deleted', async () => {
    await make({ id: 'history', cron: everySecond, run: { workflow: { yaml: greeting } } });
    const ticks = async (query = '') => (await acme.ask(`/v1/schedules/history/ticks${query}`)).body;
    const dataOf = (body: Record<string, unknown>) => body['data'] as { at: number; outcome: string; runId: string }[]; // the contract's
    await expect.poll(async () => dataOf(await ticks()).length).toBeGreaterThan(2);
    await change('PATCH', '/v1/schedules/history', { paused: true });

    const all = dataOf(await ticks());
    const page = await ticks('?limit=2');
    const rest = await ticks(`?limit=200&cursor=${String(page['nextCursor'])}`);

    expect(all).toEqual(all.toSorted((one, other) => other.at - one.at));
    expect([...dataOf(page), ...dataOf(rest)].slice(0, all.length)).toEqual(all);
    const [newest] = all;
    expect(newest).toMatchObject({ outcome: 'started', runId: expect.stringMatching(/^tick_history_/) });
    await change('DELETE', '/v1/schedules/history');
    expect((await acme.ask('/v1/schedules/history/ticks')).body['code']).toBe('SCHEDULE_UNKNOWN');
    await make({ id: 'history', cron: never, run: { workflow: { yaml: greeting } } });
    expect(dataOf(await ticks())).toEqual([]);
  });

  it('is previewed with its next five times, through the change of the clocks, and in words', async () => {
    const preview = (cron: string, timezone?: string) => acme.ask('/v1/schedules/preview', { cron, timezone });

    const { body } = await preview('30 7 * * 1-5', 'Europe/Berlin');

    const times = body['times'] as number[]; // the contract's
    const day = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', weekday: 'short' });
    const clock = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', hour: '2-digit', minute: '2-digit' });
    expect(body['sentence']).toBe('At 07:30, Monday through Friday');
    expect(times).toHaveLength(5);
    expect(times.every((at) => at > Date.now() && clock.format(at) === '07:30')).toBe(true);
    expect(new Set(times.map((at) => day.format(at)))).toEqual(new Set(['Mon', 'Tue', 'Wed', 'Thu', 'Fri']));
    expect((await preview('@daily')).body['sentence']).toBe('At 00:00');
    expect((await preview('0 0 31 2 *')).body['code']).toBe('CRON_INVALID');
    expect((await preview('0 7 * * *', 'Middle/Earth')).body['code']).toBe('CRON_INVALID');
  });

  it('ticks when its creation is repeated after a server died in the middle', async () => {
    const body = { id: 'half', cron: everySecond, run: { workflow: { yaml: greeting } } };
    const run = { ...body.run, input: '', attachments: [], tags: [] };
    const asRead = { timezone: 'UTC', missed: 'once', overlap: 'allow', paused: false } as const;
    await createTenantRuntime(api.runtime, 'acme').schedules.create({ ...body, ...asRead, run });

    expect((await make(body)).status).toBe(201);
    await lastOf('half', 'started');
    await change('DELETE', '/v1/schedules/half');
  });

  it('can be paused and described after its workflow was archived, and continues only with another one', async () => {
    await change('PUT', '/v1/workflows/gone', { yaml: greeting });
    await make({ id: 'stale', cron: never, run: { workflow: 'gone' } });
    await change('DELETE', '/v1/workflows/gone');
    const patch = async (body: object) => (await change('PATCH', '/v1/schedules/stale', body)).status;

    expect(await patch({ description: 'no longer needed' })).toBe(200);
    expect(await patch({ paused: true })).toBe(200);
    expect(await patch({ paused: false })).toBe(409);
    expect(await patch({ cron: 'never' })).toBe(422);
    expect(await patch({ paused: false, run: { workflow: { yaml: greeting } } })).toBe(200);
  });

  it.each([
    ['@hourly', '0 * * * *'],
    ['@daily', '0 0 * * *'],
    ['@midnight', '0 0 * * *'],
    ['@weekly', '0 0 * * 0'],
    ['@monthly', '0 0 1 * *'],
    ['@yearly', '0 0 1 1 *'],
    ['@Annually', '0 0 1 1 *'],
  ])('can be named %s', async (name, fields) => {
    const when = { timezone: 'Europe/Berlin', run: { workflow: { yaml: greeting } } };
    const named = await make({ id: `named-${name.slice(1)}`, cron: name, ...when });
    const written = await make({ id: `written-${name.slice(1)}`, cron: fields, ...when });

    expect(named).toMatchObject({ status: 201, body: { cron: name, nextAt: written.body['nextAt'] } });
    expect(written.body['nextAt']).toEqual(expect.any(Number));
  });

  it.each([
    ['@reboot', 'no time at which it starts'],
    ['@every 5m', 'there is no such name'],
    ['@dayly', 'there is no such name'],
  ])('is refused when its times are %s, with the valid names', async (cron, why) => {
    const { status, body } = await make({ id: 'unnamed', cron, run: { workflow: { yaml: greeting } } });

    expect([status, body['code']]).toEqual([422, 'CRON_INVALID']);
    expect(body['detail']).toContain(why);
    expect(body['detail']).toContain('@daily');
  });

  it.each([
    ['no cron', { cron: '* * *' }, 422],
    ['a day that never comes', { cron: '0 0 31 2 *' }, 422],
    ['no time zone', { timezone: 'Middle/Earth' }, 422],
    ['a workflow with errors', { run: { workflow: { yaml: 'graph: {}' } } }, 422],
    ['a workflow that is not there', { run: { workflow: 'nowhere' } }, 404],
    ['lists in lists without an end', { run: { workflow: { yaml: greeting }, vars: { L: nested } } }, 400],
    ['a run id of its own', { run: { workflow: { yaml: greeting }, runId: 'mine' } }, 400],
  ])('is refused with %s', async (_what, wrong, status) => {
    const made = await make({ id: 'wrong', cron: never, run: { workflow: { yaml: greeting } }, ...wrong });

    expect(made.status).toBe(status);
    expect((await acme.ask('/v1/schedules/wrong')).status).toBe(404);
  });

  it('is created once, and visible to its tenant only', async () => {
    const body = { id: 'mine', cron: never, run: { workflow: { yaml: greeting } } };
    const otherKey = await api.keyOf('acme-2', 'run', 'read');

    expect((await make(body)).status).toBe(201);
    const again = await make(body);
    expect(again).toMatchObject({ status: 201, body: { id: 'mine', nextAt: expect.any(Number) } });
    expect(await make({ ...body, cron: everySecond })).toMatchObject({
      status: 409,
      body: { code: 'SCHEDULE_EXISTS' },
    });
    expect((await api.ask(otherKey, '/v1/schedules/mine')).status).toBe(404);
    expect((await api.ask(otherKey, '/v1/schedules')).body).toEqual({ data: [], nextCursor: null });
    expect((await api.ask(otherKey, '/v1/schedules', body)).status).toBe(201);
  });
});
