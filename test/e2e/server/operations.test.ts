import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';

const pair =
  'graph:\n  id: pair\n  nodes:\n    - { id: A, type: literal, config: { content: a } }\n    - { id: B, type: passthrough, config: {} }\n  edges: [{ from: A, to: B }]\n';
const talk =
  'graph:\n  id: talk\n  nodes:\n    - { id: A, type: agent, config: { provider: scripted, name: parrot, params: { default: Hello. } } }\n';

const api = openBeforeAll(serveApi);
const operator = openBeforeAll(() => api.tenant('default', 'admin'));

async function run(yaml: string): Promise<Record<string, unknown>> {
  const { body } = await operator.ask('/v1/runs', { workflow: { yaml }, input: 'Go.' }, { prefer: 'wait=20' });
  return body;
}

async function metrics(): Promise<string> {
  const headers = { authorization: `Bearer ${operator.key}` };
  const response = await fetch(`${api.orchestrator.url}/metrics`, { headers });
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  return response.text();
}

/** Reads until a line holds, as the result of an attempt is counted a moment after its run has ended. */
async function untilCounted(line: string): Promise<string> {
  for (;;) {
    const text = await metrics();
    if (text.includes(`${line}\n`)) return text;
    await sleep(20);
  }
}

describe('/metrics', () => {
  it('counts runs, attempts, steps, model calls, operations on contents and requests', async () => {
    await api.runtime.blobs.put(Buffer.from('contents'));
    expect(await run(pair)).toMatchObject({ status: 'completed' });
    expect(await run(talk)).toMatchObject({ status: 'completed' });

    api.runtime.startCaretaker();
    await untilCounted('millrace_shard_lease{shard="0"} 1');
    await untilCounted('millrace_activation_attempts_total{type="agent",outcome="completed"} 1');
    const text = await untilCounted('millrace_activation_attempts_total{type="passthrough",outcome="completed"} 1');

    for (const line of [
      'millrace_runs_started_total 2',
      'millrace_runs_ended_total{status="completed"} 2',
      'millrace_activation_attempts_total{type="literal",outcome="completed"} 1',
      'millrace_activation_attempt_seconds_count{type="literal"} 1',
      'millrace_model_calls_total{provider="scripted",model="parrot",outcome="completed"} 1',
      'millrace_step_seconds_count{kind="chat"} 1',
      'millrace_blob_seconds_count{op="put"} 1',
      'millrace_http_request_seconds_count{method="POST",route="/v1/runs",status="201"} 2',
      'millrace_redis_up 1',
      'millrace_queue_oldest_seconds{queue="default",shard="0"} 0',
      'millrace_queue_workers{queue="default"} 1',
      'millrace_agenda_entries 0',
      'millrace_shard_agenda_lag_seconds{shard="0"} 0',
      'millrace_shard_lease{shard="0"} 1',
      'millrace_ended_runs{status="completed"} 2',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
    expect(text).toMatch(/millrace_model_tokens_total\{provider="scripted",model="parrot",kind="prompt"\} \d+/);
    expect(text).toMatch(/millrace_shard_commits_total\{shard="0"\} [1-9]/);
    expect(text).toMatch(/millrace_redis_memory_bytes [1-9]\d+/);
    expect(text).toMatch(/process_cpu_seconds_total/);
  });

  it('requires an operator, not the admin of a tenant', async () => {
    const key = await api.keyOf('acme', 'admin');
    const answer = await api.ask(key, '/metrics');
    expect(answer).toMatchObject({ status: 403, body: { code: 'SCOPE_MISSING' } });
  });
});

describe('the queues', () => {
  it('are listed with their workers', async () => {
    expect((await operator.ask('/v1/workers')).body).toMatchObject({
      data: [{ name: 'test', queue: 'default', address: expect.any(String), connectedSeconds: expect.any(Number) }],
    });
    expect((await operator.ask('/v1/queues')).body).toEqual({
      data: [{ name: 'default', paused: false, waiting: 0, active: 0, delayed: 0, workers: 1 }],
    });
  });

  it('deliver no jobs while they are paused', async () => {
    const paused = await operator.ask('/v1/queues/default/pause', {});
    expect(paused).toMatchObject({ status: 200, body: { paused: true } });
    const { body } = await operator.ask('/v1/runs', { workflow: { yaml: pair }, input: 'Go.' });
    const [queue] = (await operator.ask('/v1/queues')).body['data'] as { oldestAt: number }[]; // as its schema has it
    expect(queue).toMatchObject({ waiting: 1, active: 0, oldestAt: expect.any(Number) });
    expect(Math.abs(Date.now() - (queue?.oldestAt ?? 0))).toBeLessThan(60_000);
    const { alerts } = (await operator.ask('/v1/operations')).body;
    expect(alerts).toContainEqual({
      level: 'weak',
      subject: 'queue default',
      message: 'It is paused, and 1 job waits in it.',
      cure: 'Resume it.',
    });
    expect((await operator.ask('/readyz?workers=1')).body).toMatchObject({ status: 'ready', probe: 'paused' });

    const resumed = await operator.ask('/v1/queues/default/resume', {});
    expect(resumed).toMatchObject({ status: 200, body: { paused: false } });
    const ended = await operator.ask(`/v1/runs/${body['runId']}?wait=20s`);
    expect(ended.body).toMatchObject({ status: 'completed' });
  });

  it('are found by their names', async () => {
    const answer = await operator.ask('/v1/queues/nothing/pause', {});
    expect(answer).toMatchObject({ status: 404, body: { code: 'QUEUE_UNKNOWN' } });
  });

  it('cannot be paused by the admin of a tenant', async () => {
    const key = await api.keyOf('acme', 'admin');
    expect((await api.ask(key, '/v1/queues/default/pause', {})).status).toBe(403);
    expect((await operator.ask('/v1/queues')).body['data']).toMatchObject([{ paused: false }]);
  });
});

describe('the state of the installation', () => {
  it('has the version of each worker, and its activations', async () => {
    const model = await startFakeProvider({ reply: () => ({ silence: true }) });
    const slow = `graph: {id: slow, nodes: [{id: Thinker, type: agent, config: {provider: openai, name: m, base_url: '${model.at('ok')}', api_key: k}}]}`;
    const { body } = await operator.ask('/v1/runs', { workflow: { yaml: slow }, input: 'Go.' });
    const workers = async () => (await operator.ask('/v1/workers')).body['data'];
    const expected = {
      name: 'test',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      node: process.versions.node,
      concurrency: 4,
      active: 1,
      work: [{ tenant: 'default', run: body['runId'], activation: 'a1', node: 'Thinker', since: expect.any(Number) }],
    };

    await expect.poll(workers).toMatchObject([expected]);

    await operator.ask(`/v1/runs/${body['runId']}/cancel`, {});
    await expect.poll(workers).toMatchObject([{ active: 0, work: [] }]);
    await model.close();
  });

  it('has queues, agenda, workers, and Redis as the doctor sees it', async () => {
    const { status, body } = await operator.ask('/v1/operations');

    expect(status).toBe(200);
    expect(body).toMatchObject({
      workers: 1,
      workerVersions: { [String(body['version'])]: 1 },
      queues: [{ name: 'default', waiting: 0 }],
      agenda: { entries: 0, lagMs: 0 },
      endedRuns: { completed: expect.any(Number) },
      redis: { usedBytes: expect.any(Number), limitBytes: expect.any(Number) },
      refusedJobs: 0,
    });
    const { findings } = body['redis'] as { findings: { subject: string }[] }; // as its schema has it
    expect(findings.map(({ subject }) => subject)).toEqual(['Redis', 'persistence', 'memory', 'clock']);
  });

  it('is for operators only', async () => {
    const key = await api.keyOf('acme', 'admin');
    expect(await api.ask(key, '/v1/operations')).toMatchObject({ status: 403, body: { code: 'SCOPE_MISSING' } });
  });
});

describe('/readyz', () => {
  it('sends a job through the queue if workers are asked for, at most one every few seconds', async () => {
    const other = await serveApi();
    const withoutWorkers = await other.ask('', '/readyz');
    expect(withoutWorkers).toMatchObject({ status: 200, body: { status: 'ready', workers: 1 } });
    expect(withoutWorkers.body).not.toHaveProperty('probe');
    const answers = await Promise.all(Array.from({ length: 20 }, () => other.ask('', '/readyz?workers=1')));
    for (const { status, body } of answers) {
      expect({ status, body }).toEqual({ status: 200, body: { status: 'ready', workers: 1, probe: 'taken' } });
    }
    const [queue] = (await other.runtime.shared?.admin.queueAdmin.statuses()) ?? [];
    expect(queue).toMatchObject({ waiting: 0, active: 0 });
    await other.close();
  });
});

describe('the limits', () => {
  const as = (key: string) => async (method: string, path: string, body?: object) => {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await fetch(`${api.orchestrator.url}${path}`, init);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }; // all of it is objects
  };

  it('are set, listed and removed, separately for workflows', async () => {
    const ask = as(operator.key);
    const wide = await ask('PUT', '/v1/limits/acme', { activations: 20 });
    expect(wide).toEqual({ status: 200, body: { tenant: 'acme', activations: 20 } });
    await ask('PUT', '/v1/limits/acme/workflows/slow%2Fone', { activations: 2 });
    expect((await ask('GET', '/v1/limits')).body['data']).toHaveLength(2);
    expect((await ask('GET', '/v1/limits')).body['data']).toContainEqual({
      tenant: 'acme',
      workflow: 'slow/one',
      activations: 2,
    });

    expect((await ask('DELETE', '/v1/limits/acme')).body).toEqual({ lifted: true });
    expect((await ask('DELETE', '/v1/limits/acme')).body).toEqual({ lifted: false });
    expect((await ask('DELETE', '/v1/limits/acme/workflows/slow%2Fone')).body).toEqual({ lifted: true });
    expect((await ask('GET', '/v1/limits')).body['data']).toEqual([]);
  });

  it('apply to their tenant', async () => {
    await as(operator.key)('PUT', '/v1/limits/acme', { activations: 1 });
    const key = await api.keyOf('acme', 'run', 'read');
    const { body } = await api.ask(key, '/v1/runs', { workflow: { yaml: pair }, input: 'Go.' }, { prefer: 'wait=20' });
    expect(body).toMatchObject({ status: 'completed' });
    await as(operator.key)('DELETE', '/v1/limits/acme');
  });

  it('cannot be set by a tenant, and must be numbers', async () => {
    const acme = await api.keyOf('acme', 'admin');
    expect(await as(acme)('PUT', '/v1/limits/acme', { activations: 99 })).toMatchObject({ status: 403 });
    for (const [path, body] of [
      ['/v1/limits/acme', { activations: 0 }],
      ['/v1/limits/A~b', { activations: 1 }],
      ['/v1/limits/acme', {}],
    ] as const) {
      expect(await as(operator.key)('PUT', path, body)).toMatchObject({
        status: 400,
        body: { code: 'REQUEST_INVALID' },
      });
    }
  });
});
