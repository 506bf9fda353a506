import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Millrace } from '@millrace/client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ask, follow } from '../support/http.ts';
import type { Running } from '../support/millrace.ts';
import { startMillrace } from '../support/millrace.ts';
import type { RedisServer } from '../support/redis.ts';
import { startRedis } from '../support/redis.ts';
import { tellRedis } from '../support/tell-redis.ts';

const asking = 'graph: { id: asking, nodes: [{ id: Ask, type: human, config: { description: Well? } }], edges: [] }';

let cwd = '';
let redis: RedisServer;
let server: Running;
let url = '';
let env: Record<string, string> = {};
let run = '';

beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'millrace-lost-'));
  // What was acknowledged is there after a restart, however busy the disk is.
  redis = await startRedis(['--appendfsync', 'always']);
  env = { REDIS_URL: redis.url };
  server = startMillrace(['up', '--port', '0'], { cwd, env });
  [, url = ''] = await server.says(/HTTP API is at (\S+)/);
  const { body } = await ask(`${url}/v1/runs`, { workflow: { yaml: asking }, input: 'Go.' });
  run = String(body['runId']);
  while ((await ask(`${url}/v1/runs/${run}`)).body['status'] !== 'waiting') await pause(20);
});

afterEach(async () => {
  server.signal('SIGKILL');
  await server.ended;
  await redis.stop();
  rmSync(cwd, { recursive: true });
});

const withinMs = 10_000;

/** Starts to follow, and resolves as soon as something was heard: who asks only when Redis is away is refused. */
function begun<T>(start: (hear: () => void) => Promise<T>): Promise<{ readonly ended: Promise<T> }> {
  return new Promise((resolve, reject) => {
    const ended: Promise<T> = start(() => resolve({ ended }));
    ended.then(() => reject(new Error('It ended before anything was heard.')), reject);
  });
}

async function followers() {
  const watching = startMillrace(['watch', run], { cwd, env });
  await watching.says(/millrace answer/);
  const far = startMillrace(['watch', run], { cwd, env: { MILLRACE_URL: url } });
  await far.says(/millrace answer/);
  const client = new Millrace({ url });
  const [told, stream] = await Promise.all([
    begun((hear) =>
      (async () => {
        for await (const _told of client.runs.get(run).follow()) hear();
      })().catch((error: unknown) => error),
    ),
    begun((hear) => {
      const until = () => {
        hear();
        return false;
      };
      return follow(`${url}/v1/runs/${run}/events`, { until });
    }),
  ]);
  return {
    waiting: ask(`${url}/v1/runs/${run}?wait=55s&until=ended`),
    stream: stream.ended,
    watching: watching.ended,
    far: far.ended,
    told: told.ended,
  };
}

const losses: Readonly<Record<string, () => Promise<unknown>>> = {
  'is emptied': () => tellRedis(redis.url, 'FLUSHALL'),
  'is restarted without its data': async () => {
    await tellRedis(redis.url, 'FLUSHALL');
    await redis.kill();
    await redis.restart();
  },
};

it.each(Object.entries(losses))(
  'ends who follows a run within seconds when Redis %s',
  async (_what, lose) => {
    const { waiting, stream, watching, far, told } = await followers();

    await lose();
    const since = performance.now();
    const crashed = server.ended.then(({ code, stderr }) => {
      throw new Error(`the server ended with ${code}, saying:\n${stderr}`);
    });
    const ends = await Promise.race([Promise.all([waiting, stream, watching, far, told]), crashed]);

    expect(performance.now() - since).toBeLessThan(withinMs);
    expect(ends[0]).toMatchObject({ status: 404, body: { code: 'RUN_UNKNOWN' } });
    expect(ends[2]).toMatchObject({ code: 3, stderr: expect.stringContaining(`There is no run ${run}`) });
    expect(ends[3].code).toBe(3);
    expect(ends[4]).toMatchObject({ code: 'RUN_UNKNOWN', status: 404 });
  },
  60_000,
);

it('lets who follows a run wait while Redis is merely away', async () => {
  const { stream, watching } = await followers();
  const [task] = (await ask(`${url}/v1/tasks`)).body['data'] as { id: string }[];

  await redis.kill();
  // Longer than it takes to find out that a run is gone.
  await pause(5000);
  await redis.restart();
  while ((await ask(`${url}/v1/tasks/${task?.id}/answer`, { text: 'Yes.' })).status === 503) await pause(100);

  expect((await watching).code).toBe(0);
  expect((await stream).at(-1)?.event.type).toBe('run.finished');
}, 60_000);
