import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FailoverLoad, LoadOutcome } from '../support/faults/failover-load.ts';
import { startFailoverLoad } from '../support/faults/failover-load.ts';
import { startRedisCluster } from '../support/redis/redis-cluster.ts';
import { replicasOf, startWatchedRedis } from '../support/redis/redis-sentinels.ts';
import { tellRedis } from '../support/redis/tell-redis.ts';

/*
 * Planned failovers one after the other, on a machine that is busy with other things. Settings that lose nothing lose nothing
 * each time.
 */

const times = 50;
const timeout = 3_600_000;
/** Numbers of starts before the first failover, and after each of them. */
const [startsBefore, startsBetween] = [50, 20];

/** Time after which nodes give a planned failover up, in milliseconds. */
const givenUpMs = 6000;

/** Processes that use all that the machine has. */
let busy: readonly ReturnType<typeof spawn>[] = [];
beforeAll(() => {
  busy = Array.from({ length: 4 }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
});
afterAll(() => {
  for (const process of busy) process.kill('SIGKILL');
});

type Finally = (close: () => Promise<void>) => void;

async function loadOn(where: Parameters<typeof startFailoverLoad>[0], onTestFinished: Finally): Promise<FailoverLoad> {
  const load = await startFailoverLoad(where, { starters: 1, attendants: 3 });
  onTestFinished(() => load.close());
  await load.untilStarted(startsBefore);
  // A process follows the announcements of the sentinels once it has lasted for a moment.
  await sleep(3000);
  return load;
}

/** Prints what was measured. */
function measured(what: string, outcome: LoadOutcome, pauses: readonly number[]): void {
  const { started, refused, attended, lost, stuck, wrong, lines } = outcome;
  const sorted = pauses.map(Math.round).sort((a, b) => a - b);
  const pauseMs = { median: sorted[Math.floor(sorted.length / 2)], longest: sorted.at(-1) };
  const losses = { lost: lost.length, stuck: stuck.length, wrong: wrong.length };
  const numbers = { failovers: pauses.length, started, refused, attended, ...losses, pauseMs, lines: lines.length };
  process.stderr.write(`${what}: ${JSON.stringify(numbers)}\n`);
}

it.for([
  // All replicas confirm, so the one that becomes the master has everything.
  ['SENTINEL FAILOVER, MILLRACE_REPLICAS=2', 2, 'at once'],
  // With paused writes, the former master acknowledges nothing that a replica lacks.
  ['CLIENT PAUSE and SENTINEL FAILOVER, MILLRACE_REPLICAS=1', 1, 'paused'],
] as const)('loses nothing behind sentinels: %s', { timeout }, async ([what, replicas, how], { onTestFinished }) => {
  const settings = ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '3'];
  const redis = await startWatchedRedis({ replicas: 2, sentinels: 3, downAfterMs: 5000, settings });
  onTestFinished(() => redis.stop());
  const load = await loadOn({ redisUrl: redis.url, replicas }, onTestFinished);
  const pauses: number[] = [];

  for (let time = 0; time < times; time++) {
    const former = await redis.master();
    const began = performance.now();
    if (how === 'paused') await tellRedis(former.server.url, 'CLIENT', 'PAUSE', 10_000, 'WRITE');
    while ((await redis.masterPort()) === former.port) {
      // Refused while one is in progress; one that takes too long on a busy machine is given up by the sentinels.
      await redis.failOver().catch(() => undefined);
      await sleep(200);
    }
    await load.untilStarted(startsBetween);
    pauses.push(performance.now() - began);
    while ((await replicasOf((await redis.master()).server)) < 2) await sleep(200);
  }
  const outcome = await load.finish();

  measured(what, outcome, pauses);
  expect(outcome).toMatchObject({ lost: [], stuck: [], wrong: [], violations: [] });
});

it.for([
  ['CLUSTER FAILOVER, MILLRACE_REPLICAS=1', 1, []],
  ['CLUSTER FAILOVER TAKEOVER, MILLRACE_REPLICAS=1', 1, ['TAKEOVER']],
  ['CLUSTER FAILOVER TAKEOVER, MILLRACE_REPLICAS=2', 2, ['TAKEOVER']],
] as const)('loses nothing in a cluster: %s', { timeout }, async ([what, replicas, options], { onTestFinished }) => {
  const prefix = '{row}';
  const settings = ['--cluster-node-timeout', '5000', '--min-replicas-to-write', '1', '--min-replicas-max-lag', '3'];
  const cluster = await startRedisCluster({ replicas, settings });
  onTestFinished(() => cluster.stop());
  const load = await loadOn({ redisUrl: cluster.url, prefix, replicas }, onTestFinished);
  const pauses: number[] = [];

  for (let time = 0; time < times; time++) {
    const former = await cluster.ownerOf(`${prefix}:probe`);
    const began = performance.now();
    const isReplaced = async () => (await cluster.ownerOf(`${prefix}:probe`)).id !== former.id;
    while (!(await isReplaced())) {
      const { server } = await cluster.replicaOf(`${prefix}:probe`);
      await tellRedis(server.url, 'CLUSTER', 'FAILOVER', ...options).catch(() => undefined);
      // A planned one that takes too long on a busy machine is given up; to ask again before begins it anew.
      const until = performance.now() + givenUpMs;
      while (performance.now() < until && !(await isReplaced())) await sleep(50);
    }
    await load.untilStarted(startsBetween);
    pauses.push(performance.now() - began);
    while ((await replicasOf((await cluster.ownerOf(`${prefix}:probe`)).server)) < replicas) await sleep(200);
  }
  const outcome = await load.finish();

  measured(what, outcome, pauses);
  expect(outcome).toMatchObject({ lost: [], stuck: [], wrong: [], violations: [] });
});
