import { setTimeout as sleep } from 'node:timers/promises';
import { Millrace } from '@millrace/client';
import { describe, expect, it } from 'vitest';
import { directoryOfTest } from '../../support/fixtures.ts';
import { ask, follow } from '../../support/http/http.ts';
import type { RunningCommand } from '../../support/processes/millrace.ts';
import { startMillrace, startServer } from '../../support/processes/millrace.ts';
import type { RedisServer } from '../../support/redis/redis.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { tellRedis } from '../../support/redis/tell-redis.ts';
import { waitUntil } from '../../support/waiting.ts';

const asking = 'graph: { id: asking, nodes: [{ id: Ask, type: human, config: { description: Well? } }], edges: [] }';

/** An installation whose Redis may lose a run that asks a person. */
interface LossyInstallation {
  readonly redis: RedisServer;
  readonly server: RunningCommand;
  readonly url: string;
  readonly run: string;
  /** Starts the command line at that Redis, or with these variables. */
  start(args: readonly string[], env?: Readonly<Record<string, string>>): RunningCommand;
}

/** Opens one for the length of a test. */
async function losing(onTestFinished: (close: () => Promise<void>) => void): Promise<LossyInstallation> {
  const cwd = directoryOfTest();
  // What was acknowledged is there after a restart, however busy the disk is.
  const redis = await startRedis(['--appendfsync', 'always']);
  const start: LossyInstallation['start'] = (args, env = { REDIS_URL: redis.url }) => startMillrace(args, { cwd, env });
  const server = await startServer(['up', '--port', '0'], { cwd, env: { REDIS_URL: redis.url } });
  const { url } = server;
  onTestFinished(async () => {
    await server.stop('SIGKILL');
    await redis.stop();
  });
  const { body } = await ask(`${url}/v1/runs`, { workflow: { yaml: asking }, input: 'Go.' });
  const run = String(body['runId']);
  await ask(`${url}/v1/runs/${run}?wait=30s`);
  return { redis, server, url, run, start };
}

const withinMs = 10_000;

/** Starts to follow a run, and resolves with the first event: a request is refused while Redis is away. */
function begun<T>(start: (hear: () => void) => Promise<T>): Promise<{ readonly ended: Promise<T> }> {
  return new Promise((resolve, reject) => {
    const ended: Promise<T> = start(() => resolve({ ended }));
    ended.then(() => reject(new Error('It ended before anything was heard.')), reject);
  });
}

async function followers({ url, run, start }: LossyInstallation) {
  const watching = start(['watch', run]);
  const remote = start(['watch', run], { MILLRACE_URL: url });
  await Promise.all([watching, remote].map((one) => one.says(/millrace answer/)));
  const client = new Millrace({ url });
  const [received, stream] = await Promise.all([
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
    remote: remote.ended,
    received: received.ended,
  };
}

const losses: Readonly<Record<string, (redis: RedisServer) => Promise<unknown>>> = {
  'is emptied': (redis) => tellRedis(redis.url, 'FLUSHALL'),
  'is restarted without its data': async (redis) => {
    await tellRedis(redis.url, 'FLUSHALL');
    await redis.kill();
    await redis.restart();
  },
};

// Each test has a Redis and processes of its own, and mostly waits.
describe.concurrent('a run that may be lost', () => {
  it.for(Object.entries(losses))(
    'ends followers of the run within seconds when Redis %s',
    { timeout: 120_000 },
    async ([, lose], { onTestFinished }) => {
      const installation = await losing(onTestFinished);
      const { run, redis, server } = installation;
      const { waiting, stream, watching, remote, received } = await followers(installation);

      await lose(redis);
      const since = performance.now();
      const crashed = server.ended.then(({ code, stderr }) => {
        throw new Error(`the server ended with ${code}, saying:\n${stderr}`);
      });
      const ends = await Promise.race([Promise.all([waiting, stream, watching, remote, received]), crashed]);

      expect(performance.now() - since).toBeLessThan(withinMs);
      expect(ends[0]).toMatchObject({ status: 404, body: { code: 'RUN_UNKNOWN' } });
      expect(ends[2]).toMatchObject({ code: 3, stderr: expect.stringContaining(`There is no run ${run}`) });
      expect(ends[3].code).toBe(3);
      expect(ends[4]).toMatchObject({ code: 'RUN_UNKNOWN', status: 404 });
    },
  );

  it('keeps followers of the run waiting during a mere outage of Redis', async ({ onTestFinished }) => {
    const installation = await losing(onTestFinished);
    const { url, redis } = installation;
    const { stream, watching, remote } = await followers(installation);
    const [task] = (await ask(`${url}/v1/tasks`)).body['data'] as { id: string }[];

    await redis.kill();
    // Longer than it takes to find out that a run is gone.
    await sleep(5000);
    await redis.restart();
    await waitUntil(async () => (await ask(`${url}/v1/tasks/${task?.id}/answer`, { text: 'Yes.' })).status !== 503);

    expect((await watching).code).toBe(0);
    expect((await remote).code).toBe(0);
    expect((await stream).at(-1)?.event.type).toBe('run.finished');
  }, 120_000);
});
