import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import {
  ApiProblem,
  Millrace,
  RunCancelledError,
  RunFailedError,
  verifyWebhook,
  WaitTimeoutError,
} from '@millrace/client';
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, it } from 'vitest';
import { review } from '../../../examples/client.ts';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';

const reviewing = `graph:
  id: code-review
  start: [Tone]
  end: [Person]
  nodes:
    - { id: Tone, type: literal, config: { content: "Be \${TONE}." } }
    - { id: Person, type: human, config: { description: May it be merged? } }
  edges: [{ from: Tone, to: Person }]
`;
const asking = 'graph:\n  id: asking\n  nodes: [{ id: Ask, type: human, config: { description: What? } }]\n';
const saying = 'graph:\n  id: saying\n  nodes: [{ id: Say, type: literal, config: { content: Hello. } }]\n';
const failing = `graph:
  id: failing
  nodes:
    - { id: Ask, type: agent, config: { provider: openai, name: m, api_key: "\${TEST_KEY_NOT_SET}" } }
`;

const api = openBeforeAll(serveApi);
const directory = directoryBeforeAll();
const acme = openBeforeAll(() => api.tenant('acme', 'admin'));
let millrace: Millrace;

beforeAll(async () => {
  millrace = new Millrace({ url: api.orchestrator.url, apiKey: acme.key });
});

describe('the example', () => {
  it('works as its comments say', async () => {
    const patch = join(directory, 'diff.patch');
    await writeFile(patch, '+ a line');
    await millrace.workflows.publish('code-review', reviewing);

    const { runId, output, status } = await review(millrace, patch);

    expect([status, output]).toEqual(['completed', 'ok']);
    const { data: runs } = await millrace.runs.list({ workflow: 'code-review' }).page();
    expect(runs).toHaveLength(2);
    const [first] = (await millrace.runs.get(runId).activation('a1')).output;
    expect(first?.text).toBe('Be kind.');
    // The key makes it the same run again.
    const again = await review(millrace, patch);
    expect(again.runId).toBe(runId);
  });
});

describe('the events of a run', () => {
  it('are limited to given types, and begin at a given event', async () => {
    const run = await millrace.runs.start({ yaml: saying });
    await run.result();
    const types: string[] = [];
    const places: string[] = [];
    for await (const { id, event } of run.events({ types: ['run.*', 'activation.completed'] })) {
      types.push(event.type);
      places.push(id);
    }
    expect(types).toEqual(['run.started', 'activation.completed', 'run.finished']);

    const rest: string[] = [];
    for await (const { event } of run.events({ after: places[1] ?? '' })) rest.push(event.type);
    expect(rest.at(-1)).toBe('run.finished');
    expect(rest).not.toContain('run.started');
  });

  it('end when the caller stops reading', async () => {
    const run = await millrace.runs.start({ yaml: asking });
    const enough = new AbortController();
    const listening = (async () => {
      for await (const { event } of run.events({ signal: enough.signal })) {
        if (event.type === 'activation.suspended') enough.abort();
      }
    })();
    await expect(listening).rejects.toThrow();
    await run.cancel();
  });

  it('are requested once for an unknown run', async () => {
    await expect(millrace.runs.get('run_none').events().next()).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
  });
});

describe('the result of a run', () => {
  it('is the output of the run', async () => {
    expect(await millrace.runs.execute({ yaml: saying })).toMatchObject({ status: 'completed', output: 'Hello.' });
  });

  it('is an error when it has failed, or was cancelled', async () => {
    const failed = millrace.runs.execute({ yaml: failing });
    await expect(failed).rejects.toThrow(RunFailedError);
    await expect(failed).rejects.toMatchObject({ code: 'SECRET_MISSING', result: { status: 'failed' } });

    const run = await millrace.runs.start({ yaml: asking });
    const result = run.result();
    const refused = [
      expect(result).rejects.toThrow(RunCancelledError),
      expect(result).rejects.toMatchObject({ code: 'CANCELLED', message: expect.stringContaining('not needed') }),
    ];
    await run.cancel('not needed');
    await Promise.all(refused);
  });

  it('is awaited until the given timeout', async () => {
    const run = await millrace.runs.start({ yaml: asking });
    await expect(run.result({ timeout: '50ms' })).rejects.toThrow(WaitTimeoutError);
    await run.cancel();
  });
});

describe('lists', () => {
  it('are iterated page by page', async () => {
    const tag = randomUUID();
    const runs = await Promise.all([1, 2, 3].map(() => millrace.runs.start({ yaml: saying }, { tags: [tag] })));
    const found: string[] = [];
    for await (const { runId } of millrace.runs.list({ tag, limit: 1 })) found.push(runId);

    expect(found.sort()).toEqual(runs.map(({ id }) => id).sort());
    const names: string[] = [];
    await millrace.workflows.publish('listed', saying);
    for await (const { name } of millrace.workflows.list()) names.push(name);
    expect(names).toContain('listed');
  });
});

describe('a request', () => {
  it('that is refused has the reason and every position', async () => {
    const refused = millrace.runs.start({ yaml: 'graph:\n  id: x\n  nodes: [{ id: A, type: humn, config: {} }]\n' });
    await expect(refused).rejects.toThrow(ApiProblem);
    await expect(refused).rejects.toMatchObject({
      status: 422,
      code: 'WORKFLOW_INVALID',
      errors: [{ code: 'E_NODE_TYPE_UNKNOWN', line: 3 }],
      requestId: expect.any(String),
    });
    const keyless = new Millrace({ url: api.orchestrator.url });
    await expect(keyless.runs.list().page()).rejects.toMatchObject({ status: 401, code: 'KEY_MISSING' });
  });

  it('is repeated after a short outage of the server, and executed once', async () => {
    const seen: (string | undefined)[] = [];
    // The first answer of the server never arrives.
    const losing: typeof fetch = async (input, init) => {
      seen.push(new Headers(init?.headers).get('idempotency-key') ?? undefined);
      const response = await fetch(input, init);
      if (seen.length === 1) throw new TypeError('fetch failed');
      return response;
    };
    const unlucky = new Millrace({ url: api.orchestrator.url, apiKey: acme.key, fetch: losing });
    const tag = randomUUID();
    const run = await unlucky.runs.start({ yaml: saying }, { tags: [tag] });

    expect(seen).toHaveLength(2);
    expect(new Set(seen).size).toBe(1);
    expect((await millrace.runs.list({ tag }).page()).data.map(({ runId }) => runId)).toEqual([run.id]);
  });

  it('is repeated as often as configured, and then names the server that does not answer', async () => {
    let asked = 0;
    const busy = createServer((_request, response) => {
      asked += 1;
      response.writeHead(503, { 'retry-after': '0' }).end('<html>busy</html>');
    });
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
    const { port } = busy.address() as { port: number }; // it listens on a port
    const client = new Millrace({ url: `http://127.0.0.1:${port}`, retries: 2 });
    await expect(client.runs.list().page()).rejects.toMatchObject({ status: 503, code: 'UNKNOWN' });
    expect(asked).toBe(3);
    await new Promise((resolve) => busy.close(resolve));

    const nobody = new Millrace({ url: `http://127.0.0.1:${port}`, retries: 0 });
    await expect(nobody.runs.list().page()).rejects.toThrow(`http://127.0.0.1:${port} does not answer`);
  });
});

describe('batches and schedules', () => {
  it('are created, read and removed', async () => {
    await millrace.workflows.publish('said', saying);
    const { id, total } = await millrace.batches.start('said', { rows: [{ id: 'a', input: 'x' }, { id: 'b' }] });
    expect(total).toBe(2);
    expect(await millrace.batches.get(id)).toMatchObject({ id, workflow: 'said' });
    const rows: unknown[] = [];
    for await (const { row, id: called } of millrace.batches.rows(id)) rows.push([row, called]);
    expect(rows[0]).toEqual([1, 'a']);
    const table = { name: 'rows.csv', content: 'id,input\na,x\n' };
    const read = await millrace.batches.start(
      { yaml: saying },
      { table, tags: ['t'], parallel: 3, idempotencyKey: 'b' },
    );
    expect(read).toMatchObject({ workflow: null, parallel: 3, total: 1 });
    const ids = (await millrace.batches.list().page()).data.map((batch) => batch.id);
    // The newest first.
    expect(ids).toEqual([read.id, id]);
    await expect(millrace.batches.start('said', { table: { ...table, name: 'rows.txt' } })).rejects.toMatchObject({
      code: 'BATCH_INVALID',
    });

    const daily = { id: 'daily', cron: '0 7 * * *', run: { workflow: 'said' } };
    expect(await millrace.schedules.create(daily)).toMatchObject({ id: 'daily', timezone: 'UTC', paused: false });
    expect(await millrace.schedules.change('daily', { paused: true })).toMatchObject({ paused: true, nextAt: null });
    expect((await millrace.schedules.trigger('daily')).workflow).toBe('said');
    await millrace.schedules.remove('daily');
    expect((await millrace.schedules.list().page()).data).toEqual([]);
  });
});

describe('webhooks', () => {
  it('are created, listed and removed', async () => {
    const { id, secret } = await millrace.webhooks.create({ url: 'https://example.com/hook', description: 'ci' });
    expect(secret).toMatch(/^whsec_/);
    expect((await millrace.webhooks.list()).map((one) => one.id)).toContain(id);
    expect((await millrace.webhooks.deliveries(id).page()).data).toEqual([]);
    expect(await millrace.webhooks.remove(id)).toMatchObject({ id, description: 'ci' });
    await expect(millrace.webhooks.get(id)).rejects.toMatchObject({ code: 'WEBHOOK_UNKNOWN' });
    expect(await millrace.webhooks.secretOfRuns()).toMatch(/^whsec_/);
  });
});

describe('a webhook', () => {
  const secret = `whsec_${Buffer.from('a secret of at least 24 bytes').toString('base64')}`;
  const body = JSON.stringify({ id: 'e1', type: 'run.finished', source: '/', subject: 'run_1' });
  const headersOf = (at: Date) => ({
    'Webhook-Id': 'e1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('e1', at, body),
  });

  it('is accepted when it is signed and recent', async () => {
    expect(await verifyWebhook({ body, headers: headersOf(new Date()), secret })).toMatchObject({ subject: 'run_1' });
    expect(await verifyWebhook({ body, headers: new Headers(headersOf(new Date())), secret })).toMatchObject({
      id: 'e1',
    });
  });

  it('is refused otherwise', async () => {
    const old = headersOf(new Date(Date.now() - 600_000));
    const forged = `${body} `;
    await expect(verifyWebhook({ body, headers: old, secret })).rejects.toThrow();
    await expect(verifyWebhook({ body: forged, headers: headersOf(new Date()), secret })).rejects.toThrow();
    await expect(verifyWebhook({ body, headers: {}, secret })).rejects.toThrow();
  });
});
