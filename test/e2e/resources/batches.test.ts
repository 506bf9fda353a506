import { connect, createShard } from '@millrace/runtime';
import { Queue } from 'bullmq';
import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveBatches } from '../../support/http/batch-api.ts';

const greeting =
  'graph:\n  id: greeting\n  nodes:\n    - { id: A, type: passthrough, config: {} }\n    - { id: B, type: literal, config: { content: "${NAME}" } }\n  edges:\n    - { from: A, to: B }\n';
const echo = 'graph:\n  id: echo\n  nodes:\n    - { id: A, type: passthrough, config: {} }\n';
const question =
  'graph:\n  id: question\n  nodes:\n    - { id: Ask, type: human, config: { description: What shall it be? } }\n';
/** Fails once for an input that demands it. */
const shaky = `graph:
  id: shaky
  nodes:
    - id: A
      type: agent
      config:
        provider: scripted
        name: m
        params:
          rules:
            - { when: { last_user_contains: trouble }, replies: [{ error: { status: 400, message: refused } }, 'at last'] }
          default: fine
`;

/** Asks a person; a run without a name cannot start. */
const named = question.replace('id: question', 'id: named').replace('What shall it be?', '"${NAME}?"');

const batches = openBeforeAll(() => serveBatches({ greeting, echo, question, shaky, named }));

describe('a batch', () => {
  it('executes a limited number of rows at once, and cancels them and the waiting ones', async () => {
    const rows = Array.from({ length: 7 }, (_, at) => ({ input: `Row ${at}` }));
    await batches.make({ id: 'asking', workflow: 'question', parallel: 3, rows });
    await batches.until('asking', (batch) => JSON.stringify(batch['rows']).includes('"running":3'));
    const counts = async () => (await batches.get('/v1/batches/asking')).body['rows'];
    expect(await counts()).toMatchObject({ running: 3, waiting: 4 });
    await batches.api.ask(batches.key, '/v1/runs/asking_1/cancel', {});
    await batches.until('asking', (batch) => JSON.stringify(batch['rows']).includes('"cancelled":1'));
    await batches.until('asking', (batch) => JSON.stringify(batch['rows']).includes('"running":3'));
    expect(await counts()).toMatchObject({ running: 3, waiting: 3, cancelled: 1 });

    const removed = await fetch(`${batches.api.orchestrator.url}/v1/batches/asking`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${batches.key}` },
    });
    expect(await removed.json()).toMatchObject({ status: 409, code: 'BATCH_UNFINISHED' });
    expect((await batches.api.ask(batches.key, '/v1/batches/asking/cancel', {})).status).toBe(202);

    const batch = await batches.until('asking', ({ status }) => status === 'cancelled');
    expect(batch['rows']).toMatchObject({ cancelled: 7, running: 0, waiting: 0 });
    expect((await batches.get('/v1/runs/asking_2')).body).toMatchObject({ status: 'cancelled' });
    expect((await batches.get('/v1/runs/asking_7')).status).toBe(404);
  });

  it('refuses to retry rows while it is being cancelled, and does so when it is cancelled', async () => {
    const rows = [{ input: 'x', vars: { NAME: 'Ann' } }, { input: 'y' }];
    await batches.make({ id: 'stuck', workflow: 'named', rows });
    await batches.make({ id: 'unfailed', workflow: 'question', rows: [{ input: 'x' }] });
    await batches.until('stuck', ({ rows }) =>
      /"running":1.*"failed":1|"failed":1.*"running":1/.test(JSON.stringify(rows)),
    );
    await batches.until('unfailed', ({ rows }) => JSON.stringify(rows).includes('"running":1'));
    const connection = connect(batches.api.redis.url, 'test');
    const jobs = new Queue('batches', {
      connection,
      prefix: createShard(connection, batches.api.redis.prefix).keys.home,
    });
    const askOf = (id: string) => async (path: string) => batches.api.ask(batches.key, `/v1/batches/${id}/${path}`, {});
    const ask = askOf('stuck');
    const askUnfailed = askOf('unfailed');

    // No run of the two ends meanwhile, so no server cancels the rows as long as the queue is paused.
    await jobs.pause();
    await expect.poll(() => jobs.getActiveCount()).toBe(0);
    expect((await ask('cancel')).body).toMatchObject({ status: 'cancelling' });
    expect((await askUnfailed('cancel')).body).toMatchObject({ status: 'cancelling' });
    const early = await askUnfailed('retry-failed');
    expect([early.status, early.body['code']]).toEqual([409, 'BATCH_CANCELLING']);
    for (const path of ['retry-failed', 'rows/2/retry']) {
      const refused = await ask(path);
      expect([path, refused.status, refused.body['code']]).toEqual([path, 409, 'BATCH_CANCELLING']);
    }
    expect((await batches.get('/v1/batches/stuck')).body).toMatchObject({ status: 'cancelling' });
    await jobs.resume();
    await jobs.close();
    connection.disconnect();

    await batches.until('stuck', ({ status }) => status === 'cancelled');
    expect((await ask('retry-failed')).status).toBe(202);
    expect((await batches.finished('stuck'))['rows']).toMatchObject({ failed: 1, cancelled: 1 });
  });

  it('leaves its tag to none of the forks and replays of its runs', async () => {
    await batches.make({ id: 'forked', workflow: 'echo', tags: ['mine'], rows: [{ input: 'a' }, { input: 'b' }] });
    await batches.finished('forked');
    const { body: fork } = await batches.api.ask(batches.key, '/v1/runs/forked_1/fork', { at: 'a1' });
    const { body: replay } = await batches.api.ask(batches.key, '/v1/runs/forked_2/replay', {});

    const { data } = (await batches.get('/v1/runs?tag=batch:forked')).body as { data: { runId: string }[] }; // the contract's
    expect(data.map(({ runId }) => runId).sort()).toEqual(['forked_1', 'forked_2']);
    for (const { runId } of [fork, replay] as { runId: string }[]) // the contract's
      expect((await batches.get(`/v1/runs/${runId}`)).body['tags']).toEqual(['mine']);
  });

  it('retries failed rows where they failed, and rows that could not be started', async () => {
    const rows = [{ input: 'peace' }, { input: 'trouble' }];
    await batches.make({ id: 'shaky', workflow: 'shaky', rows });
    expect((await batches.finished('shaky'))['rows']).toMatchObject({ completed: 1, failed: 1 });
    expect((await batches.rowsOf('shaky', '&status=failed'))[0]).toMatchObject({
      row: 2,
      runId: 'shaky_2',
      error: { code: 'MODEL_BAD_REQUEST' },
    });

    expect((await batches.api.ask(batches.key, '/v1/batches/shaky/retry-failed', {})).status).toBe(202);

    await batches.until('shaky', (batch) => JSON.stringify(batch['rows']).includes('"completed":2'));
    await batches.finished('shaky');
    expect(await batches.rowsOf('shaky')).toMatchObject([
      { status: 'completed' },
      { status: 'completed', runId: 'shaky_2' },
    ]);
    expect((await batches.get('/v1/runs/shaky_2')).body).toMatchObject({
      output: 'at last',
      origin: { type: 'batch', of: 'shaky' },
    });

    await batches.make({
      id: 'lacking',
      workflow: 'greeting',
      rows: [{ input: 'x', vars: { NAME: 'Ann' } }, { input: 'y' }],
    });
    await batches.finished('lacking');
    expect(await batches.rowsOf('lacking')).toMatchObject([
      { status: 'completed' },
      { status: 'failed', error: { code: 'WORKFLOW_INVALID' } },
    ]);
    expect((await batches.rowsOf('lacking'))[1]).not.toHaveProperty('runId');
  });

  it('counts the usage of its rows once, retries one row, and returns the outputs', async () => {
    const rows = [{ id: 'first', input: 'peace\nand quiet' }, { input: 'trouble' }, { input: 'trouble' }];
    await batches.make({ id: 'costs', workflow: 'shaky', rows });
    const failed = await batches.finished('costs');
    const { calls: before } = failed['usage'] as { calls: number }; // the contract's
    const retry = (row: number) => batches.api.ask(batches.key, `/v1/batches/costs/rows/${row}/retry`, {});

    expect((await retry(1)).body['code']).toBe('ROW_NOT_FAILED');
    expect((await retry(4)).body['code']).toBe('ROW_UNKNOWN');
    expect((await batches.get('/v1/batches/costs')).body['status']).toBe('finished');
    expect((await retry(3)).status).toBe(202);

    await batches.until('costs', (batch) => JSON.stringify(batch['rows']).includes('"completed":2'));
    const { rows: counts, usage } = await batches.finished('costs');
    expect(counts).toMatchObject({ completed: 2, failed: 1 });
    const calls = async (run: string) =>
      ((await batches.get(`/v1/runs/${run}`)).body['usage'] as { calls: number }).calls; // the contract's
    const ofRuns = (await calls('costs_1')) + (await calls('costs_2')) + (await calls('costs_3'));
    expect(usage).toMatchObject({ calls: ofRuns });
    expect(ofRuns).toBeGreaterThan(before);
    expect((await batches.get('/v1/batches')).body['data']).toContainEqual(
      expect.objectContaining({ id: 'costs', rows: counts, usage }),
    );
    expect(await batches.rowsOf('costs', '&results=true')).toMatchObject([
      { id: 'first', title: 'peace', input: 'peace\nand quiet', output: 'fine', usage: { calls: 1 } },
      { status: 'failed', input: 'trouble', output: null, error: { code: 'MODEL_BAD_REQUEST' } },
      { status: 'completed', output: 'at last' },
    ]);
  });

  it('is created once for an id, and visible to its tenant only', async () => {
    const otherKey = await batches.api.keyOf('other', 'run', 'read');
    const body = { id: 'mine', workflow: { yaml: echo }, rows: [{ task: 'x' }] };

    expect((await batches.make(body)).status).toBe(201);
    expect((await batches.make({ ...body, rows: [{ task: 'y' }, { task: 'z' }] })).status).toBe(200);
    expect((await batches.get('/v1/batches/mine')).body).toMatchObject({ total: 1, workflow: null });
    for (const path of ['', '/rows']) expect((await batches.get(`/v1/batches/mine${path}`, otherKey)).status).toBe(404);
    expect((await batches.api.ask(otherKey, '/v1/batches/mine/cancel', {})).status).toBe(404);
    expect((await batches.get('/v1/batches', otherKey)).body).toEqual({ data: [], nextCursor: null });
    expect((await batches.get('/v1/batches?limit=1')).body['data']).toHaveLength(1);
  });

  it('is created once by two concurrent requests', async () => {
    const rows = Array.from({ length: 5 }, () => ({ input: 'x' }));
    const one = (of: typeof rows) => batches.make({ id: 'both', workflow: 'echo', rows: of });

    const made = await Promise.all([one(rows), one(rows.slice(2))]);

    expect(made.map(({ status }) => status).toSorted()).toEqual([200, 201]);
    const { total, rows: counts } = await batches.finished('both');
    expect(counts).toMatchObject({ completed: total });
    expect(await batches.rowsOf('both')).toHaveLength(Number(total));
  });

  it('has its own runs, even if other runs have their ids', async () => {
    const outputs = async (id: string) =>
      Promise.all(
        (await batches.rowsOf(id)).map(async ({ runId }) => (await batches.get(`/v1/runs/${runId}`)).body['output']),
      );
    await batches.api.ask(batches.key, '/v1/runs', { runId: 'again_2', workflow: 'echo', input: 'by hand' });
    await batches.make({ id: 'again', workflow: 'echo', rows: [{ input: 'first' }, { input: 'first' }] });
    await batches.finished('again');
    expect(await outputs('again')).toEqual(['first', 'first']);
    const ids = (await batches.rowsOf('again')).map(({ runId }) => runId);
    expect(ids).toEqual(['again_1', expect.stringMatching(/^again_[0-9a-f]{12}_2_2$/)]);
    await batches.forget('again');

    await batches.make({ id: 'again', workflow: 'echo', rows: [{ input: 'second' }] });

    await batches.finished('again');
    expect(await outputs('again')).toEqual(['second']);
    expect((await batches.get('/v1/runs/again_1')).body).toMatchObject({ output: 'first' });
  });

  it('retries a terminated row with a run that no other batch can have', async () => {
    await batches.make({ id: 'ask', workflow: 'question', rows: [{ input: 'x' }] });
    await batches.make({ id: 'ask_1', workflow: 'echo', rows: [{ input: 'y' }, { input: 'z' }] });
    await batches.finished('ask_1');
    await batches.until('ask', (batch) => JSON.stringify(batch['rows']).includes('"running":1'));
    await batches.api.ask(batches.key, '/v1/runs/ask_1/stop', {});
    await batches.finished('ask');

    await batches.api.ask(batches.key, '/v1/batches/ask/retry-failed', {});

    await batches.until('ask', (batch) => JSON.stringify(batch['rows']).includes('"running":1'));
    const [row] = await batches.rowsOf('ask');
    expect(row?.runId).toMatch(/^ask_[0-9a-f]{12}_1_2$/);
    expect((await batches.get(`/v1/runs/${row?.runId}`)).body).toMatchObject({ workflow: 'question' });
  });

  it('stays cancelled when it has no row to retry', async () => {
    await batches.make({ id: 'none', workflow: 'question', rows: [{ input: 'x' }] });
    await batches.api.ask(batches.key, '/v1/batches/none/cancel', {});
    await batches.until('none', ({ status }) => status === 'cancelled');

    const { body } = await batches.api.ask(batches.key, '/v1/batches/none/retry-failed', {});

    expect(body).toMatchObject({ status: 'cancelled' });
    expect((await batches.get('/v1/batches/none')).body).toMatchObject({ status: 'cancelled' });
  });

  it('is removed on request when all rows have ended', async () => {
    await batches.make({ id: 'open', workflow: 'question', rows: [{ input: 'x' }] });
    await batches.make({ id: 'done', workflow: 'echo', rows: [{ input: 'x' }] });
    await batches.finished('done');

    expect([await batches.forget('open'), await batches.forget('done'), await batches.forget('done')]).toEqual([
      409, 200, 404,
    ]);
    expect((await batches.get('/v1/batches/done/rows')).status).toBe(404);
    expect((await batches.get('/v1/runs/done_1')).status).toBe(200);
  });
});
