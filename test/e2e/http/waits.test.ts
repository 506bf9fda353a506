import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { collectGarbage } from '../../support/faults/collect-garbage.ts';
import { shortenWaits } from '../../support/faults/shorter-waits.ts';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { ask } from '../../support/http/http.ts';
import { startWebhookReceiver } from '../../support/http/webhook-receiver.ts';
import { startServer } from '../../support/processes/millrace.ts';
import { startRedis } from '../../support/redis/redis.ts';

/** Repeats its loop as long as a client waits for it. */
const busy = `graph:
  id: busy
  start: [A]
  end: [B]
  max_iterations: 100000
  nodes:
    - { id: A, type: literal, config: { content: Again. } }
    - { id: B, type: agent, config: { provider: scripted, name: m, params: { default: { text: Again., delay_ms: 20 } } } }
  edges: [{ from: A, to: B }, { from: B, to: A }]
`;
const question = 'graph:\n  id: question\n  nodes: [{ id: Ask, type: human, config: { description: What? } }]\n';

describe('a request that waits for a run', () => {
  const api = openBeforeAll(() => serveApi({ webhooks: { allow: ['loopback'], delayMs: 5 } }));
  let key = '';
  beforeAll(async () => {
    key = await api.keyOf('acme', 'admin');
  });

  it('gets a response at its timeout, however busy the run and however much garbage is collected', async () => {
    const { body } = await api.ask(key, '/v1/runs', { workflow: { yaml: busy } });
    const run = String(body['runId']);
    const stop = collectGarbage(50);

    const began = performance.now();
    const waits = ['', '&until=ended'].flatMap((until) => Array.from({ length: 5 }, () => `wait=1s${until}`));
    const answers = await Promise.all(waits.map((wait) => api.ask(key, `/v1/runs/${run}?${wait}`)));
    const tookMs = performance.now() - began;

    stop();
    expect(answers.map(({ status, body: { status: state } }) => [status, state])).toEqual(
      waits.map(() => [200, 'running']),
    );
    expect(tookMs).toBeGreaterThan(990);
    await api.ask(key, `/v1/runs/${run}/cancel`, {});
  });

  it('gets a response at its timeout when it starts the run', async () => {
    const stop = collectGarbage(50);

    const { status, body } = await api.ask(key, '/v1/runs', { workflow: { yaml: busy } }, { prefer: 'wait=1' });

    stop();
    expect([status, body['status']]).toEqual([201, 'running']);
    await api.ask(key, `/v1/runs/${body['runId']}/cancel`, {});
  });

  it('does not keep a webhook waiting for a receiver that never responds', async () => {
    const receiver = await startWebhookReceiver(() => new Promise(() => undefined));
    const restore = shortenWaits({ fromMs: 15_000, factor: 50 });
    const stop = collectGarbage(50);
    const made = await api.ask(key, '/v1/webhooks', { url: receiver.url });

    await api.ask(key, '/v1/runs', { workflow: { yaml: question } });

    const path = `/v1/webhooks/${made.body['id']}/deliveries`;
    const tried = async () => JSON.stringify((await api.ask(key, path)).body);
    await expect.poll(tried).toContain('It did not answer within 15 seconds.');
    stop();
    restore();
    await receiver.close();
  });
});

it('ends a waiting request when Redis becomes unreachable', async () => {
  const redis = await startRedis();
  const env = { REDIS_URL: redis.url, MILLRACE_PREFIX: `waits-${randomUUID()}` };
  const { url, stop } = await startServer(['serve', '--port', '0'], { env });
  onTestFinished(async () => {
    await stop('SIGKILL');
    await redis.stop();
  });
  const { body } = await ask(`${url}/v1/runs`, { workflow: { yaml: question } });
  const waits = ['wait=60s', 'wait=60s&until=ended'].map((wait) => ask(`${url}/v1/runs/${body['runId']}?${wait}`));
  // No worker executes it, so both wait.
  await ask(`${url}/v1/runs/${body['runId']}?wait=1s`);

  await redis.kill();
  const answers = await Promise.all(waits);

  for (const answer of answers) {
    expect([answer.status, answer.body['code'], answer.headers.get('retry-after')]).toEqual([
      503,
      'REDIS_UNREACHABLE',
      '1',
    ]);
  }
  await redis.restart();
  const waited = async () => (await ask(`${url}/v1/runs/${body['runId']}?wait=1s`)).status;
  await expect.poll(waited).toBe(200);
});
