import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectWatched } from '../../packages/runtime/src/adapters/redis/connection/connection.ts';
import type { FailoverLoad, LoadOutcome } from '../support/faults/failover-load.ts';
import { startFailoverLoad } from '../support/faults/failover-load.ts';
import { freePort } from '../support/redis/free-port.ts';
import type { ClusterNode, RedisCluster } from '../support/redis/redis-cluster.ts';
import { startRedisCluster } from '../support/redis/redis-cluster.ts';
import type { WatchedRedis } from '../support/redis/redis-sentinels.ts';
import { startWatchedRedis } from '../support/redis/redis-sentinels.ts';
import { tellRedis } from '../support/redis/tell-redis.ts';
import { waitUntil } from '../support/waiting.ts';

/** Settings that the guide recommends. */
const settings = ['--cluster-node-timeout', '5000'];
let cluster: RedisCluster;
beforeAll(async () => {
  cluster = await startRedisCluster({ replicas: 1, settings });
});
afterAll(() => cluster.stop());

/** Lines that report an outage and its end. */
const quiet = /\[REDIS_\w+\]$|^Redis is back after/;

type Finally = (close: () => Promise<void>) => void;

async function loadAt(prefix: string, onTestFinished: Finally, replicas = 0): Promise<FailoverLoad> {
  const load = await startFailoverLoad({ redisUrl: cluster.url, prefix, replicas });
  onTestFinished(() => load.close());
  await load.untilStarted(200);
  return load;
}

/** Returns a master that does not store a key. */
async function otherThan(key: string): Promise<ClusterNode> {
  const owner = await cluster.ownerOf(key);
  for (const node of cluster.nodes) {
    const role = (await tellRedis(node.server.url, 'ROLE')) as readonly unknown[];
    if (node.id !== owner.id && role[0] === 'master') return node;
  }
  throw new Error('A cluster has several masters.');
}

const portIn = (info: string): number => Number(/^tcp_port:(\d+)/m.exec(info)?.[1]);

/** Prints what was measured, for the guide. */
function measured(what: string, { started, lost, longestGapMs, lines }: LoadOutcome, recoveredMs: number): void {
  const numbers = { started, lost: lost.length, longestGapMs, recoveredMs };
  process.stderr.write(`${what}: ${JSON.stringify(numbers)}\n${lines.join('\n')}\n`);
}

/** Returns a prefix whose slot is among the first ones of a master, which are the first to be moved. */
async function prefixOfFirstSlots(count: number): Promise<string> {
  const [node] = cluster.nodes;
  for (let n = 0; ; n++) {
    const prefix = `{p${n}}`;
    if (Number(await tellRedis(node?.server.url ?? '', 'CLUSTER', 'KEYSLOT', prefix)) < count) return prefix;
  }
}

describe('a slot that is moved under load', () => {
  it.for([
    ['{many}', 100, 0],
    // It takes longer than the lock of a job lasts.
    ['{one}', 1, 4000],
  ] as const)(
    'loses nothing that was acknowledged, and the others wait quietly: %s, %i keys at once, %i further keys',
    async ([prefix, keysAtOnce, further], { onTestFinished }) => {
      const load = await loadAt(prefix, onTestFinished);
      const { server } = await cluster.ownerOf(`${prefix}:probe`);
      const fill = `for n = 1, ${further} do redis.call('set', '${prefix}:further:' .. n, n) end`;
      await tellRedis(server.url, 'EVAL', fill, 0);

      const began = performance.now();
      await cluster.moveSlot(`${prefix}:probe`, await otherThan(`${prefix}:probe`), keysAtOnce);
      const movedMs = performance.now() - began;
      const recoveredMs = await load.untilStarted(10);
      const outcome = await load.finish();

      measured(
        `${keysAtOnce} keys at once of ${further} and some, moved in ${Math.round(movedMs)} ms`,
        outcome,
        recoveredMs,
      );
      expect(outcome).toMatchObject({ lost: [], stuck: [], wrong: [], violations: [] });
      expect(recoveredMs).toBeLessThan(10_000);
      expect(outcome.longestGapMs).toBeLessThan(movedMs + 2000);
      for (const line of outcome.lines) expect(line).toMatch(quiet);
    },
  );
});

it('waits quietly while redis-cli moves slots, key by key', async ({ onTestFinished }) => {
  const count = 50;
  const prefix = await prefixOfFirstSlots(count);
  const load = await loadAt(prefix, onTestFinished);
  const [from, to] = [await cluster.ownerOf(`${prefix}:probe`), await otherThan(`${prefix}:probe`)];
  const reshard = ['--cluster-from', from.id, '--cluster-to', to.id, '--cluster-slots', String(count)];

  const began = performance.now();
  await promisify(execFile)('redis-cli', [
    ...['--cluster', 'reshard', `127.0.0.1:${from.port}`, ...reshard, '--cluster-yes', '--cluster-pipeline', '1'],
  ]);
  const movedMs = performance.now() - began;
  const recoveredMs = await load.untilStarted(10);
  const outcome = await load.finish();

  measured(`redis-cli, ${count} slots in ${Math.round(movedMs)} ms`, outcome, recoveredMs);
  expect(await cluster.ownerOf(`${prefix}:probe`)).toBe(to);
  expect(outcome).toMatchObject({ lost: [], stuck: [], wrong: [], violations: [] });
  expect(recoveredMs).toBeLessThan(10_000);
  for (const line of outcome.lines) expect(line).toMatch(quiet);
});

it('waits while a move that was interrupted leaves the slot open, until redis-cli mends it', async ({
  onTestFinished,
}) => {
  const prefix = '{open}';
  const load = await loadAt(prefix, onTestFinished);
  const [from, to] = [await cluster.ownerOf(`${prefix}:probe`), await otherThan(`${prefix}:probe`)];
  const slot = Number(await tellRedis(from.server.url, 'CLUSTER', 'KEYSLOT', prefix));
  await tellRedis(to.server.url, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id);
  await tellRedis(from.server.url, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id);
  const keys = (await tellRedis(from.server.url, 'CLUSTER', 'GETKEYSINSLOT', slot, 500)) as readonly string[];
  await tellRedis(from.server.url, 'MIGRATE', '127.0.0.1', to.port, '', 0, 5000, 'KEYS', ...keys);
  // Longer than the lock of a job lasts.
  await sleep(6000);

  await promisify(execFile)('redis-cli', ['--cluster', 'fix', `127.0.0.1:${from.port}`]);
  const recoveredMs = await load.untilStarted(10);
  const outcome = await load.finish();

  measured(`open slot with ${keys.length} keys at its new node`, outcome, recoveredMs);
  expect(outcome).toMatchObject({ lost: [], stuck: [], wrong: [], violations: [] });
  expect(recoveredMs).toBeLessThan(10_000);
  expect(outcome.longestGapMs).toBeGreaterThan(5000);
  for (const line of outcome.lines) expect(line).toMatch(quiet);
});

describe('a replica that is made the master under load', () => {
  it.for([
    ['planned', 0, []],
    // The master is not asked, and continues until it learns that it has been replaced.
    ['FORCE', 1, ['FORCE']],
    ['TAKEOVER', 1, ['TAKEOVER']],
  ] as const)(
    'loses nothing that was acknowledged, and continues within ten seconds: %s, MILLRACE_REPLICAS=%s',
    async ([how, replicas, options], { onTestFinished }) => {
      const prefix = `{${how}}`;
      const load = await loadAt(prefix, onTestFinished, replicas);
      const [master, replica] = [await cluster.ownerOf(`${prefix}:probe`), await cluster.replicaOf(`${prefix}:probe`)];

      await tellRedis(replica.server.url, 'CLUSTER', 'FAILOVER', ...options);
      while ((await cluster.ownerOf(`${prefix}:probe`)).id === master.id) await sleep(20);
      const recoveredMs = await load.untilStarted(20);
      const outcome = await load.finish();

      measured(`CLUSTER FAILOVER ${how}`, outcome, recoveredMs);
      expect(outcome).toMatchObject({ lost: [], stuck: [], wrong: [], violations: [] });
      expect(recoveredMs).toBeLessThan(10_000);
      for (const line of outcome.lines) expect(line).toMatch(quiet);
    },
  );
});

describe('a master that sentinels are told to replace', () => {
  it.for([
    // Its writes are paused, so that it acknowledges none that the new master lacks.
    ['CLIENT PAUSE', 0],
    // Both replicas confirm, and the new master confirms nothing to the former one.
    ['MILLRACE_REPLICAS=2', 2],
  ] as const)('has acknowledged nothing that is lost, with %s', async ([how, replicas], { onTestFinished }) => {
    const { outcome, recoveredMs } = await replaceMaster({ isPaused: replicas === 0, replicas }, onTestFinished);

    measured(`SENTINEL FAILOVER, ${how}`, outcome, recoveredMs);
    expect(outcome).toMatchObject({ lost: [], stuck: [], wrong: [], violations: [] });
    // The former master confirms only after the sentinels have made it a replica.
    expect(recoveredMs).toBeLessThan(replicas === 2 ? 20_000 : 10_000);
    for (const line of outcome.lines) expect(line).toMatch(quiet);
  });

  it('is left at once, so that only runs of a moment are lost', async ({ onTestFinished }) => {
    const { outcome, recoveredMs } = await replaceMaster({ isPaused: false, replicas: 0 }, onTestFinished);

    measured('SENTINEL FAILOVER', outcome, recoveredMs);
    // Without an announcement, the former master would acknowledge hundreds, for ten seconds.
    expect(outcome.lost.length).toBeLessThan(100);
    expect(recoveredMs).toBeLessThan(2000);
    for (const line of outcome.lines) expect(line).toMatch(quiet);
  });

  it('is left within seconds by a process that has just started, and has missed the announcement', async ({
    onTestFinished,
  }) => {
    const redis = await startSentinels(onTestFinished);
    const former = await redis.masterPort();
    const [, host, port] = /\/\/([^:]+):(\d+)/.exec(redis.url) ?? [];
    const sentinel = new Redis(Number(port), host ?? '');
    onTestFinished(async () => sentinel.disconnect());
    await sentinel.subscribe('+failover-state-wait-promotion');
    const announced = once(sentinel, 'message');

    await redis.failOver();
    await announced;
    const beganAt = performance.now();
    const { connection } = connectTo(redis, onTestFinished);
    expect(portIn(await connection.info('server'))).toBe(former);
    await waitUntil(async () => portIn(await connection.info('server')) !== former);

    // The sentinels make the former master a replica after some ten seconds.
    expect(performance.now() - beganAt).toBeLessThan(5000);
    expect(await redis.masterPort()).toBe(portIn(await connection.info('server')));
  });

  it('is connected to again when the announced one cannot be reached', async ({ onTestFinished }) => {
    const redis = await startSentinels(onTestFinished);
    const { connection, outages } = connectTo(redis, onTestFinished);
    await connection.ping();
    const beganAt = performance.now();

    outages.follow({ host: '127.0.0.1', port: await freePort() });

    expect(portIn(await connection.info('server'))).toBe(await redis.masterPort());
    expect(performance.now() - beganAt).toBeLessThan(2500);
  });

  async function startSentinels(onTestFinished: Finally): Promise<WatchedRedis> {
    const redis = await startWatchedRedis({ replicas: 2, sentinels: 3, downAfterMs: 5000 });
    onTestFinished(() => redis.stop());
    return redis;
  }

  function connectTo({ url }: WatchedRedis, onTestFinished: Finally) {
    const watched = connectWatched(url, 'test');
    onTestFinished(async () => watched.connection.disconnect());
    return watched;
  }

  async function replaceMaster(
    { isPaused, replicas }: { readonly isPaused: boolean; readonly replicas: number },
    onTestFinished: Finally,
  ) {
    const redis = await startSentinels(onTestFinished);
    // People who answer a lost run would wait for it.
    const lanes = isPaused || replicas > 0 ? {} : { attendants: 0 };
    const load = await startFailoverLoad({ redisUrl: redis.url, replicas }, lanes);
    onTestFinished(() => load.close());
    await load.untilStarted(100);
    // A process follows the announcements of the sentinels once it has lasted for a moment.
    await sleep(3000);
    const master = await redis.masterPort();

    if (isPaused) await tellRedis(redis.servers[0]?.server.url ?? '', 'CLIENT', 'PAUSE', 10_000, 'WRITE');
    await redis.failOver();
    while ((await redis.masterPort()) === master) await sleep(20);
    const recoveredMs = await load.untilStarted(50);
    return { outcome: await load.finish(), recoveredMs };
  }
});
