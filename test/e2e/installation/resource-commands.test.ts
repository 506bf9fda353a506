import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { commandsOf } from '../../support/http/commands.ts';
import { startWebhookReceiver } from '../../support/http/webhook-receiver.ts';
import { command } from '../../support/processes/command.ts';
import { waitUntil } from '../../support/waiting.ts';

const greeting =
  'graph:\n  id: greeting\n  nodes:\n    - { id: A, type: passthrough, config: {} }\n    - { id: B, type: literal, config: { content: "${GREETING} ${NAME}" } }\n  edges: [{ from: A, to: B }]\n';

const api = openBeforeAll(serveApi);
const cwd = directoryBeforeAll({
  'greeting.yaml': greeting,
  'people.csv': 'id,input,vars\nann,x,"{""NAME"": ""Ann""}"\nbob,,\n',
  'people.json': '[{"id": "cid", "input": "x"}]',
});
const operator = openBeforeAll(() => api.tenant('default', 'admin'));
const at = (name: string): string => join(cwd, name);

const own = { GREETING: 'Hello', NAME: 'you' };
const { remote, local, both } = commandsOf(api, operator, cwd, own);

const finished = async (batch: string) => {
  await waitUntil(async () => (await operator.ask(`/v1/batches/${batch}`)).body['status'] === 'finished');
};
const outputOf = async (run: string) => (await operator.ask(`/v1/runs/${run}?wait=30s`)).body['output'];

describe('millrace batch', () => {
  it('starts a run for each row of a table, locally and over HTTP', async () => {
    const [one, other] = await Promise.all([
      remote(
        'batch',
        'start',
        at('greeting.yaml'),
        at('people.csv'),
        '--id',
        'remote',
        '--tag',
        'letters',
        '--parallel',
        '3',
      ),
      local(
        'batch',
        'start',
        at('greeting.yaml'),
        at('people.csv'),
        '--id',
        'local',
        '--tag',
        'letters',
        '--parallel',
        '3',
      ),
    ]);
    expect([one.code, one.stdout, other.code, other.stdout]).toEqual([0, 'remote\n', 0, 'local\n']);
    for (const { stderr } of [one, other]) expect(stderr).toContain('2 rows, 3 at a time. 1 of them are invalid');
    for (const id of ['remote', 'local']) {
      await finished(id);
      expect(await outputOf(`${id}_1`)).toBe('Hello Ann');
    }
    const { body } = await operator.ask('/v1/runs/local_1');
    expect(body['tags']).toEqual(['letters', 'batch:local']);
  });

  it('shows batches and their rows', async () => {
    const [list, get, rows, wrong] = await Promise.all([
      both('batch', 'list'),
      both('batch', 'get', 'local', '--json'),
      both('batch', 'rows', 'local'),
      both('batch', 'rows', 'local', '--status', 'invalid', '--json'),
    ]);
    expect(list.stdout).toMatch(/local +finished +2 +3 +\d{4}-/);
    expect(JSON.parse(get.stdout)).toMatchObject({ id: 'local', rows: { completed: 1, invalid: 1 } });
    expect(rows.stdout).toMatch(/1 +ann +completed +local_1/);
    const results = await both('batch', 'results', 'local', '--status', 'completed');
    expect(results.stdout).toMatch(/^row,id,status,runId,input,output,error,microUsd\r?\n1,ann,completed,local_1,/);
    await writeFile(at('customers.csv'), 'Customer,City\nAnn,Rome\n,Oslo\n');
    const columns = ['--column', 'Customer=input', '--column', 'City=vars.CITY'] as const;
    const preview = await both('batch', 'preview', at('customers.csv'), ...columns);
    expect(preview.stdout).toMatch(/Customer → input +City → vars\.CITY/);
    expect(preview.stderr).toContain('2 rows, 1 of them invalid. Nothing was started.');
    expect((await both('batch', 'retry', 'local', '--row', '1')).code).toBe(4);
    expect(JSON.parse(wrong.stdout)).toEqual([
      { row: 2, status: 'invalid', error: { code: 'ROW_INVALID', message: expect.any(String) } },
    ]);
  });

  it('accepts rows in JSON, retries failed ones, cancels and removes', async () => {
    const pushed = await remote('workflows', 'push', at('greeting.yaml'));
    expect(pushed.code, pushed.stderr).toBe(0);
    // The published workflow sees no environment, so its rows cannot be started without these.
    const started = await local(
      'batch',
      'start',
      'greeting',
      at('people.json'),
      '--id',
      'json',
      '--var',
      'GREETING=Hi',
      '--var',
      'NAME=Cid',
      '--json',
    );
    expect(JSON.parse(started.stdout)).toMatchObject({ id: 'json', workflow: 'greeting', total: 1 });
    await finished('json');
    expect(await outputOf('json_1')).toBe('Hi Cid');

    await local('batch', 'retry', 'json');
    await finished('json');
    expect((await remote('batch', 'cancel', 'json')).stdout).toMatch(/json +finished/);
    expect((await local('batch', 'rm', 'json')).code).toBe(0);
    expect((await both('batch', 'get', 'json')).code).toBe(3);
  });

  it('reports errors in the same way locally and over HTTP', async () => {
    await writeFile(at('wrong.csv'), 'colour\nred\n');
    await writeFile(at('broken.yaml'), 'graph:\n  id: x\n  nodes:\n    - { id: A, type: humn, config: {} }\n');
    const [table, kind, missing, workflow, none] = await Promise.all([
      both('batch', 'start', at('greeting.yaml'), at('wrong.csv')),
      both('batch', 'start', at('greeting.yaml'), at('broken.yaml')),
      both('batch', 'start', at('greeting.yaml'), at('nowhere.csv')),
      both('batch', 'start', at('broken.yaml'), at('people.csv')),
      both('batch', 'start', 'nowhere', at('people.csv')),
    ]);
    expect([table, kind, missing, workflow, none].map(({ code }) => code)).toEqual([2, 2, 2, 2, 3]);
    expect(workflow.stderr).toMatch(/4:\d+ .*humn.* \[E_NODE_TYPE_UNKNOWN\]/);
    expect((await local('batch', 'start', at('broken.yaml'), at('people.csv'))).stderr).toContain(
      '[E_NODE_TYPE_UNKNOWN]',
    );
  });
});

describe('millrace schedule', () => {
  it('is created, shown, changed, triggered and deleted, locally and over HTTP', async () => {
    const yearly = ['--cron', '0 0 1 1 *', '--timezone', 'Europe/Berlin', '--input', 'x', '--overlap', 'skip'] as const;
    const [one, other] = await Promise.all([
      remote('schedule', 'create', 'remote', at('greeting.yaml'), ...yearly, '--json'),
      local('schedule', 'create', 'local', at('greeting.yaml'), ...yearly, '--json'),
    ]);
    const { createdAt: _when, ...made } = JSON.parse(other.stdout);
    expect(made).toEqual({ ...JSON.parse(one.stdout), id: 'local', createdAt: undefined });
    expect(made).toMatchObject({ overlap: 'skip', missed: 'once', paused: false, nextAt: expect.any(Number) });

    expect((await both('schedule', 'list')).stdout).toMatch(/local +0 0 1 1 \* +Europe\/Berlin/);
    const changed = await local('schedule', 'change', 'remote', '--cron', '0 0 2 1 *', '--description', 'for spring');
    expect(changed.stdout).toMatch(/remote +0 0 2 1 \* .* for spring/);
    expect((await local('schedule', 'pause', 'remote')).stdout).toContain('paused');
    expect(JSON.parse((await remote('schedule', 'resume', 'remote', '--json')).stdout)).toMatchObject({
      paused: false,
    });

    const runs = await Promise.all([remote('schedule', 'trigger', 'local'), local('schedule', 'trigger', 'remote')]);
    for (const { stdout } of runs) expect(await outputOf(stdout.trim())).toBe('Hello you');

    expect((await both('schedule', 'get', 'local')).stdout).toContain('None of its times has come yet.');
    expect((await both('schedule', 'ticks', 'local', '--json')).stdout).toBe('[]\n');
    const times = await both('schedule', 'preview', '0 7 * * 1-5', '--timezone', 'Europe/Berlin');
    expect(times.stdout.trim().split('\n')).toHaveLength(5);
    expect(times.stderr).toContain('At 07:00, Monday through Friday');
    expect((await local('schedule', 'rm', 'local')).code).toBe(0);
    expect((await remote('schedule', 'rm', 'remote')).code).toBe(0);
    expect((await both('schedule', 'get', 'local')).code).toBe(3);
    expect((await both('schedule', 'list', '--json')).stdout).toBe('[]\n');
  });

  it('ticks when it was created locally', async () => {
    const often = await local(
      'schedule',
      'create',
      'often',
      at('greeting.yaml'),
      '--cron',
      '* * * * * *',
      '--missed',
      'skip',
    );
    expect(often.code, often.stderr).toBe(0);
    const first = async () => (await operator.ask('/v1/runs?tag=schedule:often')).body['data'] as unknown[];
    await waitUntil(async () => (await first()).length > 0);
    await local('schedule', 'rm', 'often');
  });

  it('reports errors', async () => {
    const [cron, name, missing] = await Promise.all([
      both('schedule', 'create', 'x', at('greeting.yaml'), '--cron', 'often'),
      both('schedule', 'create', 'x y', at('greeting.yaml'), '--cron', '* * * * *'),
      both('schedule', 'create', 'x', at('greeting.yaml')),
    ]);
    expect([cron, name, missing].map(({ code }) => code)).toEqual([2, 2, 2]);
    expect(cron.stderr).toContain('[CRON_INVALID]');
  });
});

it('cancels many runs at once, locally and over HTTP', async () => {
  const asking = 'graph:\n  id: asking\n  nodes:\n    - { id: Ask, type: human, config: { description: What? } }\n';
  const started = (tag: string) => operator.ask('/v1/runs', { workflow: { yaml: asking }, tags: [tag] });
  await Promise.all([started('remote'), started('local')]);
  const orders = await Promise.all([
    remote('bulk', 'cancel', '--tag', 'remote', '--since', '1h'),
    local('bulk', 'cancel', '--tag', 'local', '--reason', 'enough'),
  ]);
  for (const { code, stdout, stderr } of orders) {
    expect(code, stderr).toBe(0);
    const id = stdout.trim();
    await waitUntil(async () => (await operator.ask(`/v1/bulk/${id}`)).body['status'] === 'finished');
    expect((await both('bulk', 'get', id)).stdout).toMatch(/cancel +finished +1 +0/);
  }
  const [none, other, when] = await Promise.all([
    both('bulk', 'retry'),
    both('bulk', 'get', `bulk_${'0'.repeat(32)}`),
    both('bulk', 'cancel', '--since', 'yesterday'),
  ]);
  expect([none, other, when].map(({ code }) => code)).toEqual([2, 3, 2]);
});

it('reports locally that no server is there to start the runs', async () => {
  const env = { ...own, REDIS_URL: api.redis.url, MILLRACE_PREFIX: 'nobody', MILLRACE_DIR: cwd };
  const { code, stderr } = await command(['batch', 'start', at('greeting.yaml'), at('people.csv')], env);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('No server is running that executes it: start `millrace up` or `millrace serve`');
});

describe('millrace webhooks', () => {
  it('creates and lists webhooks, and sends a delivery again', async () => {
    const receiver = await startWebhookReceiver(() => 200);
    const created = await remote('webhooks', 'create', `${receiver.url}/runs`, '--events', 'run.completed', '--json');
    const { id, secret } = JSON.parse(created.stdout);
    expect([created.code, typeof secret]).toEqual([0, 'string']);
    expect((await both('webhooks', 'list')).stdout).toContain(id);
    expect((await both('webhooks', 'list', '--json')).stdout).not.toContain(secret);
    expect((await remote('webhooks', 'create', `${receiver.url}/runs`, '--events', 'run.lost')).code).toBe(2);

    await remote('run', at('greeting.yaml'), '--input', 'x', '--var', 'NAME=Eve');
    await receiver.until('/runs', 1);
    const { stdout } = await both('webhooks', 'deliveries', id, '--json');
    const [delivery] = JSON.parse(stdout);
    expect(delivery).toMatchObject({ type: 'run.completed' });
    expect((await remote('webhooks', 'redeliver', id, delivery.id)).code).toBe(0);
    await receiver.until('/runs', 2);
    expect((await local('webhooks', 'rm', id)).code).toBe(0);
    expect((await remote('webhooks', 'deliveries', id)).code).toBe(3);
    await receiver.close();
  });
});

describe('millrace batch --watch', () => {
  it('follows a batch until all rows have ended', async () => {
    const { code, stderr } = await remote('batch', 'start', at('greeting.yaml'), at('people.json'), '--watch');
    expect([code, stderr]).toEqual([0, expect.stringMatching(/\[#{30}\] 1\/1 rows, 1 completed\n$/)]);
  });
});
