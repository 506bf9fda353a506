import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { OutageKind } from '../../support/faults/outage-kinds.ts';
import { outageKinds } from '../../support/faults/outage-kinds.ts';
import { ask } from '../../support/http/http.ts';
import type { ServerAndWorker } from '../../support/http/serving.ts';
import { chainNodes, serveAndWork, untilStatus } from '../../support/http/serving.ts';
import { millrace } from '../../support/processes/millrace.ts';
import { startWorkerProcess } from '../../support/processes/worker-process.ts';
import type { RedisServer } from '../../support/redis/redis.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { startRedisPair } from '../../support/redis/redis-pair.ts';

type Finally = (close: () => Promise<void>) => void;

/** Serves until the end of a test. */
async function serving(redisUrl: string, onTestFinished: Finally): Promise<ServerAndWorker> {
  const api = await serveAndWork(redisUrl);
  onTestFinished(() => api.close());
  return api;
}

/** Starts a Redis that runs until the end of a test. */
async function redisOf(settings: readonly string[] | undefined, onTestFinished: Finally): Promise<RedisServer> {
  const redis = await startRedis(settings);
  onTestFinished(() => redis.stop());
  return redis;
}

const workflow = fileURLToPath(new URL('../../../examples/voting.yaml', import.meta.url));
/** A job stays with a worker that gives no sign of life for five seconds. */
const longerThanALockMs = 6000;
const lasting: ReadonlySet<string> = new Set(['is a read-only replica', 'is frozen']);

// Each test has a Redis and processes of its own, and mostly waits.
describe.concurrent('a server and a worker', () => {
  it('continues within ten seconds after a failover with open connections', async ({ onTestFinished }) => {
    const pair = await startRedisPair();
    onTestFinished(() => pair.stop());
    const api = await serving(pair.proxy.url, onTestFinished);
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
  }, 120_000);

  it.for(Object.entries<OutageKind>(outageKinds))(
    'keeps its work in progress, and responds with 503, while Redis %s',
    { timeout: 120_000 },
    async ([what, kind], { onTestFinished }) => {
      const redis = await redisOf(kind.settings, onTestFinished);
      const api = await serving(redis.url, onTestFinished);
      const run = await api.underWay();

      await kind.begin(redis);
      const ready = await untilStatus(503, () => ask(`${api.url}/readyz`));
      const refused = await api.start();
      if (lasting.has(what)) await sleep(longerThanALockMs);
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
  );
});

describe.concurrent('a command', () => {
  it.for(['is a read-only replica', 'has too few replicas', 'has no memory left'] as const)(
    'ends with exit code 5 while Redis %s',
    async (what, { onTestFinished }) => {
      const kind = outageKinds[what];
      const redis = await redisOf(undefined, onTestFinished);
      const worker = await startWorkerProcess(redis.url);
      onTestFinished(() => worker.kill());
      await kind.begin(redis);

      const env = { REDIS_URL: redis.url };
      const [started, listed] = await Promise.all([
        millrace(['run', workflow, '--input', 'Go.', '--json'], { env }),
        millrace(['runs'], { env }),
      ]);

      expect(started).toMatchObject({ code: 5, stderr: expect.stringContaining(`[${kind.code}]`) });
      expect(JSON.parse(started.stdout)).toMatchObject({ error: { exit: 5, code: kind.code } });
      expect(started.stderr).not.toMatch(/bug|^\s+at /m);
      expect(listed.code).toBe(0);
    },
  );
});
