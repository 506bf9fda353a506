import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FailoverLoad, LoadOutcome } from '../support/faults/failover-load.ts';
import { startFailoverLoad } from '../support/faults/failover-load.ts';
import type { ClusterNode, RedisCluster } from '../support/redis/redis-cluster.ts';
import { startRedisCluster } from '../support/redis/redis-cluster.ts';
import { tellRedis } from '../support/redis/tell-redis.ts';

/** Settings that the guide recommends. */
const settings = ['--cluster-node-timeout', '5000'];
let cluster: RedisCluster;
beforeAll(async () => {
  cluster = await startRedisCluster({ replicas: 1, settings });
}, 60_000);
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

/** Prints what was measured, for the guide. */
function measured(what: string, { started, lost, longestPauseMs, lines }: LoadOutcome, recoveredMs: number): void {
  const numbers = { started, lost: lost.length, longestPauseMs, recoveredMs };
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
      expect(outcome).toMatchObject({ lost: [], wrong: [], violations: [] });
      expect(recoveredMs).toBeLessThan(10_000);
      expect(outcome.longestPauseMs).toBeLessThan(movedMs + 2000);
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
  expect(outcome).toMatchObject({ lost: [], wrong: [], violations: [] });
  expect(recoveredMs).toBeLessThan(10_000);
  for (const line of outcome.lines) expect(line).toMatch(quiet);
});

describe('a replica that is made the master under load', () => {
  it.for([
    ['planned', 0, []],
    // The master is not asked, and goes on until it learns that it has been replaced.
    ['FORCE', 1, ['FORCE']],
    ['TAKEOVER', 1, ['TAKEOVER']],
  ] as const)(
    'loses nothing that was acknowledged, and continues within ten seconds: %s, MILLRACE_REPLICAS=%s',
    async ([how, replicas, options], { onTestFinished }) => {
      const prefix = `{${how}}`;
      const load = await loadAt(prefix, onTestFinished, replicas);
      const [master, replica] = [await cluster.ownerOf(`${prefix}:probe`), await cluster.replicaOf(`${prefix}:probe`)];

      await tellRedis(replica.server.url, 'CLUSTER', 'FAILOVER', ...options);
      while ((await cluster.ownerOf(`${prefix}:probe`)).id === master.id) await pause(20);
      const recoveredMs = await load.untilStarted(20);
      const outcome = await load.finish();

      measured(`CLUSTER FAILOVER ${how}`, outcome, recoveredMs);
      expect(outcome).toMatchObject({ lost: [], wrong: [], violations: [] });
      expect(recoveredMs).toBeLessThan(10_000);
      for (const line of outcome.lines) expect(line).toMatch(quiet);
    },
  );
});
