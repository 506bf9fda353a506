import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startClientLoad } from '../support/faults/client-load.ts';
import type { Chance } from '../support/faults/seeded.ts';
import { chanceOf } from '../support/faults/seeded.ts';
import { startWebhookReceiver } from '../support/http/webhook-receiver.ts';
import type { RunningCommand } from '../support/processes/millrace.ts';
import { millrace, startMillrace, startServer } from '../support/processes/millrace.ts';
import type { RedisServer } from '../support/redis/redis.ts';
import { startRedisCluster } from '../support/redis/redis-cluster.ts';
import { replicasOf, startWatchedRedis } from '../support/redis/redis-sentinels.ts';
import { tellRedis } from '../support/redis/tell-redis.ts';

/*
 * Ten minutes in which masters die, stall, are replaced and lose their connections, and workers die, while clients do all that
 * an installation is for. Redis and Millrace have the settings that the guide recommends.
 */

const seconds = 600;
const settings = ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '3'];
const downAfterMs = 5000;
const replicas = 2;
const workerCount = 2;

type Finally = (close: () => Promise<void>) => void;

/** A Redis with replicas, and its planned failover. */
interface Place {
  readonly url: string;
  master(): Promise<RedisServer>;
  /** Makes a replica the master, as the guide says. */
  hand(): Promise<void>;
}

const places: Readonly<Record<string, (onTestFinished: Finally) => Promise<Place>>> = {
  'three sentinels': async (onTestFinished) => {
    const redis = await startWatchedRedis({ replicas, sentinels: 3, downAfterMs, settings });
    onTestFinished(() => redis.stop());
    const master = async () => (await redis.master()).server;
    return {
      url: redis.url,
      master,
      async hand() {
        const { port, server } = await redis.master();
        await tellRedis(server.url, 'CLIENT', 'PAUSE', 10_000, 'WRITE');
        for (let ms = 0; (await redis.masterPort()) === port && ms < 10_000; ms += 200) {
          await redis.failOver().catch(() => undefined);
          await sleep(200);
        }
      },
    };
  },
  'a cluster of nine nodes': async (onTestFinished) => {
    const nodeTimeout = ['--cluster-node-timeout', String(downAfterMs)];
    const cluster = await startRedisCluster({ replicas, settings: [...settings, ...nodeTimeout] });
    onTestFinished(() => cluster.stop());
    const key = '{millrace}:probe';
    return {
      url: cluster.url,
      master: async () => (await cluster.ownerOf(key)).server,
      async hand() {
        const { server } = await cluster.replicaOf(key);
        await tellRedis(server.url, 'CLUSTER', 'FAILOVER');
      },
    };
  },
};

/** Workers of which one can be killed at a time. */
async function startWorkers(env: Readonly<Record<string, string>>, onTestFinished: Finally) {
  const alive: RunningCommand[] = [];
  const start = async () => {
    const worker = startMillrace(['worker'], { env });
    await worker.says(/Working on runs/);
    alive.push(worker);
  };
  for (let count = 0; count < workerCount; count++) await start();
  onTestFinished(async () => void (await Promise.all(alive.map((worker) => worker.stop('SIGKILL')))));
  return {
    async replaceOne() {
      await alive.shift()?.stop('SIGKILL');
      await start();
    },
  };
}

type Workers = Awaited<ReturnType<typeof startWorkers>>;

const faults: Readonly<Record<string, (place: Place, workers: Workers) => Promise<void>>> = {
  async masterKilled({ master }) {
    const server = await master();
    await server.kill();
    await sleep(downAfterMs + 4000);
    await server.restart();
  },
  async masterStalls({ master }) {
    const server = await master();
    await server.freeze();
    await sleep(downAfterMs + 2000);
    await server.thaw();
  },
  handedOver: ({ hand }) => hand(),
  async connectionsCut({ master }) {
    await tellRedis((await master()).url, 'CLIENT', 'KILL', 'TYPE', 'normal').catch(() => undefined);
  },
  workerKilled: (_place, workers) => workers.replaceOne(),
};

/** Injects each fault before any comes again, and waits until Redis is whole after each; returns their numbers. */
async function strikeUntil(end: number, place: Place, { workers, chance }: { workers: Workers; chance: Chance }) {
  const counts = Object.fromEntries(Object.keys(faults).map((name) => [name, 0]));
  let left: string[] = [];
  while (performance.now() < end) {
    if (left.length === 0) left = Object.keys(faults);
    const [name = ''] = left.splice(chance.below(left.length), 1);
    await faults[name]?.(place, workers);
    counts[name] = (counts[name] ?? 0) + 1;
    const isWhole = async () => (await replicasOf(await place.master()).catch(() => 0)) >= replicas;
    while (!(await isWhole())) await sleep(200);
    await sleep(2000 + chance.below(3000));
  }
  return counts;
}

it.for(Object.entries(places))(
  'loses nothing that was acknowledged: %s',
  { timeout: 3_600_000 },
  async ([name, open], { onTestFinished }) => {
    const place = await open(onTestFinished);
    const env = { REDIS_URL: place.url, MILLRACE_REPLICAS: '1', MILLRACE_OUTBOUND_ALLOW: 'loopback' };
    const receiver = await startWebhookReceiver(() => 200);
    onTestFinished(() => receiver.close());
    const server = await startServer(['serve', '--port', '0'], { env });
    onTestFinished(async () => void (await server.stop('SIGKILL')));
    const workers = await startWorkers(env, onTestFinished);
    const load = await startClientLoad(server.url, receiver);
    await load.untilDone(20);

    const end = performance.now() + seconds * 1000;
    const counts = await strikeUntil(end, place, { workers, chance: chanceOf(5) });
    await load.untilDone(20);
    const outcome = await load.finish();
    const audit = await millrace(['audit', '--all'], { env });

    const [summary] = /\d+ runs looked at, \d+ of them sound/.exec(audit.stderr) ?? [];
    process.stderr.write(`${name}: ${JSON.stringify({ faults: counts, ...outcome, audit: summary })}\n`);
    expect(outcome.broken).toEqual([]);
    expect(audit).toMatchObject({ code: 0, stdout: '' });
  },
);
