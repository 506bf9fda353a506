import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Millrace } from '@millrace/client';
import { connect, createApiKeys, createRedisStore, createShard } from '@millrace/runtime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import type { Balancer } from '../../support/http/balancer.ts';
import { startBalancer } from '../../support/http/balancer.ts';
import { ask } from '../../support/http/http.ts';
import type { RunningCommand, RunningServer } from '../../support/processes/millrace.ts';
import { startMillrace, startServer } from '../../support/processes/millrace.ts';
import { startRedis } from '../../support/redis/redis.ts';

const nodes = Array.from({ length: 12 }, (_, at) => `N${at}`);
const chain = `graph:
  id: chain
  nodes:
${nodes.map((id) => `    - { id: ${id}, type: agent, config: { provider: scripted, name: m, params: { default: { text: said, delay_ms: 500 } } } }`).join('\n')}
  edges:
${nodes
  .slice(1)
  .map((id, at) => `    - { from: N${at}, to: ${id} }`)
  .join('\n')}
`;

const requestsPerMinute = 250;
const drainMs = 1500;

const redis = openBeforeAll(startRedis);
const cwd = directoryBeforeAll();
const connection = openBeforeAll(() => connect(redis.url, 'test'));
let servers: readonly RunningServer[] = [];
let worker: RunningCommand;
let balancer: Balancer;
const keys: string[] = [];

beforeAll(async () => {
  const apiKeys = createApiKeys(createRedisStore({ shard: createShard(connection) }));
  for (let count = 0; count < 4; count++)
    keys.push((await apiKeys.create({ tenant: 'default', scopes: ['read', 'run'] })).secret);
  const env = {
    REDIS_URL: redis.url,
    MILLRACE_TRUST_PROXY: '127.0.0.1',
    MILLRACE_REQUESTS_PER_MINUTE: String(requestsPerMinute),
    MILLRACE_DRAIN_MS: String(drainMs),
  };
  const serve = () => startServer(['serve', '--port', '0', '--no-ui'], { cwd, env });
  worker = startMillrace(['worker'], { cwd, env });
  servers = await Promise.all([serve(), serve(), serve()]);
  await worker.says(/Working on runs/);
  balancer = await startBalancer(servers.map(({ url }) => url));
});

afterAll(async () => {
  balancer.close();
  for (const one of [worker, ...servers]) await one.stop('SIGKILL');
});

const authorized = (key = '') => ({ authorization: `Bearer ${key}` });

it('count the requests of a key together', async () => {
  const [, key] = keys;
  const answers = await Promise.all(
    Array.from({ length: requestsPerMinute + 20 }, () => ask(`${balancer.url}/v1/me`, undefined, authorized(key))),
  );

  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(requestsPerMinute);
  expect(statuses.filter((status) => status === 429)).toHaveLength(20);
});

it('count requests without a valid key by the address that the proxy has seen, whatever the client claims', async () => {
  const statuses = await Promise.all(
    Array.from({ length: requestsPerMinute + 20 }, (_, at) =>
      statusFrom('127.0.0.2', { ...authorized('mk_wrong'), 'x-forwarded-for': `203.0.113.${at % 250}` }),
    ),
  );

  expect(statuses.filter((status) => status === 401)).toHaveLength(requestsPerMinute);
  expect(statuses.filter((status) => status === 429)).toHaveLength(20);
});

it('continue 100 streams without a gap when one of them is killed', async () => {
  const [key = ''] = keys;
  const { body } = await ask(`${balancer.url}/v1/runs`, { workflow: { yaml: chain }, input: 'Go.' }, authorized(key));
  const run = String(body['runId']);
  const received = Array.from({ length: 100 }, (): string[] => []);
  const streams = received.map(async (ids) => {
    const millrace = new Millrace({ url: balancer.url, apiKey: key });
    for await (const { id } of millrace.runs.get(run).events()) ids.push(id);
  });
  await expect.poll(() => received.every((ids) => ids.length > 5)).toBe(true);

  servers[0]?.signal('SIGKILL');
  await Promise.all(streams);

  const [, , , other] = keys;
  const headers = { ...authorized(other), accept: 'application/json' };
  const page = await ask(`${balancer.url}/v1/runs/${run}/events?limit=1000`, undefined, headers);
  const journal = (page.body['data'] as { readonly id: string }[]).map(({ id }) => id); // as the route has it
  expect(journal.length).toBeGreaterThan(nodes.length * 3);
  for (const ids of received) expect(ids).toEqual(journal);
});

it('serve on while a server that is told to stop leaves the balancer, and end its streams afterwards', async () => {
  const [, , key, other] = keys;
  const [, stopping] = servers;
  if (stopping === undefined) throw new Error('there are three servers');
  const { body } = await ask(`${balancer.url}/v1/runs`, { workflow: { yaml: chain }, input: 'Go.' }, authorized(key));
  const headers = { ...authorized(key), accept: 'text/event-stream' };
  const stream = await fetch(`${stopping.url}/v1/runs/${String(body['runId'])}/events`, { headers });
  const frames = new Response(stream.body).text();
  const stoppedAt = performance.now();
  const streamEndedAt = frames.then(() => performance.now());

  stopping.signal('SIGTERM');
  await expect.poll(async () => (await ask(`${stopping.url}/readyz`)).status, { interval: 20 }).toBe(503);
  const notReadyAt = performance.now();
  let isOver = false;
  const ended = stopping.ended.then((result) => {
    isOver = true;
    return result;
  });
  const statuses = new Set<number>();
  while (!isOver) {
    statuses.add((await ask(`${balancer.url}/v1/me`, undefined, authorized(other))).status);
    await sleep(50);
  }

  expect((await ended).code).toBe(0);
  expect([...statuses]).toEqual([200]);
  expect(stream.headers.get('x-accel-buffering')).toBe('no');
  expect(notReadyAt - stoppedAt).toBeLessThan(drainMs);
  expect((await streamEndedAt) - stoppedAt).toBeGreaterThanOrEqual(drainMs);
  expect(await frames).toMatch(/retry: 1000\n\n$/);
});

/** Asks through the balancer from another address of this machine; returns the status. */
const statusFrom = (localAddress: string, headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(`${balancer.url}/v1/me`, { localAddress, headers, agent: false }, (response) => {
      void text(response).then(() => resolve(response.statusCode));
    })
      .on('error', reject)
      .end();
  });
