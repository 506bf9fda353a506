import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { ask } from '../support/http.ts';
import type { OutageKind } from '../support/outage-kinds.ts';
import { outageKinds } from '../support/outage-kinds.ts';
import { startRedis } from '../support/redis.ts';
import { startRedisPair } from '../support/redis-pair.ts';
import type { Serving } from '../support/serving.ts';
import { chainNodes, serveAndWork, untilStatus } from '../support/serving.ts';

let closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.reverse()) await close();
  closers = [];
});

async function serving(redisUrl: string): Promise<Serving> {
  const api = await serveAndWork(redisUrl);
  closers.push(() => api.close());
  return api;
}

it('goes on within ten seconds after a failover while connections stay open', async () => {
  const pair = await startRedisPair();
  closers.push(() => pair.stop());
  const api = await serving(pair.proxy.url);
  const run = await api.underWay();

  await pair.failOver();
  const { ms, before } = await untilStatus(201, api.start);
  const ended = await ask(`${api.url}/v1/runs/${run}?wait=30s`);

  expect(ms).toBeLessThan(10_000);
  for (const { status, headers, body } of before) {
    expect([status, body['code'], headers.get('retry-after')]).toEqual([503, 'REDIS_READONLY', '1']);
  }
  expect(ended.body).toMatchObject({ status: 'completed', usage: { calls: chainNodes.length } });
  for (const { code, lines } of await api.end()) {
    expect(code).toBe(0);
    expect(lines.join('\n')).toMatch(/REDIS_READONLY\][\s\S]*Redis is back after/);
    expect(lines.join('\n')).not.toMatch(/^\s+at /m);
    expect(lines.length).toBeLessThan(20);
  }
}, 60_000);

/** A job stays with a worker that gives no sign of life for five seconds. */
const longerThanALockMs = 6000;
const lasting: ReadonlySet<string> = new Set(['is a read-only replica', 'is frozen']);

it.each(Object.entries<OutageKind>(outageKinds))(
  'waits with work in hand, and answers 503, while Redis %s',
  async (what, kind) => {
    const redis = await startRedis(kind.settings);
    closers.push(() => redis.stop());
    const api = await serving(redis.url);
    const run = await api.underWay();

    await kind.begin(redis);
    const ready = await untilStatus(503, () => ask(`${api.url}/readyz`));
    const refused = await api.start();
    if (lasting.has(what)) await pause(longerThanALockMs);
    const still = await api.start();
    await kind.end(redis);
    const again = await untilStatus(201, api.start);
    const ended = await ask(`${api.url}/v1/runs/${run}?wait=30s`);

    expect(ready.ms).toBeLessThan(5000);
    for (const { status, headers, body } of [refused, still]) {
      expect([status, body['code'], headers.get('retry-after')]).toEqual([503, kind.code, '1']);
      expect(headers.get('content-type')).toContain('application/problem+json');
    }
    expect(again.ms).toBeLessThan(10_000);
    expect(ended.body).toMatchObject({ status: 'completed', usage: { calls: chainNodes.length } });
    for (const { code, lines } of await api.end()) {
      expect(code).toBe(0);
      expect(lines.join('\n')).not.toMatch(/^\s+at |INTERNAL/m);
      expect(lines.length).toBeLessThan(20);
    }
  },
  60_000,
);

it.each(['is a read-only replica', 'has too few replicas', 'has no memory left'] as const)(
  'ends a command with exit code 5 while Redis %s',
  async (what) => {
    const kind = outageKinds[what];
    const redis = await startRedis();
    closers.push(() => redis.stop());
    const api = await serving(redis.url);
    await kind.begin(redis);

    const started = await api.command('run', 'chain.yaml', '--input', 'Go.', '--json');
    const listed = await api.command('runs');

    expect(started).toMatchObject({ code: 5, stderr: expect.stringContaining(`[${kind.code}]`) });
    expect(JSON.parse(started.stdout)).toMatchObject({ error: { exit: 5, code: kind.code } });
    expect(started.stderr).not.toMatch(/bug|^\s+at /m);
    expect(listed.code).toBe(0);
  },
);
