import { setTimeout as sleep } from 'node:timers/promises';
import { createVocabulary } from '@millrace/catalog';
import type { RunId } from '@millrace/core';
import { openRuntime } from '@millrace/runtime';
import { describe, expect, it } from 'vitest';
import type { FailoverLoad, LoadOutcome } from '../support/faults/failover-load.ts';
import { startFailoverLoad } from '../support/faults/failover-load.ts';
import { startRedisCluster } from '../support/redis/redis-cluster.ts';
import { startWatchedRedis } from '../support/redis/redis-sentinels.ts';
import { tellRedis } from '../support/redis/tell-redis.ts';
import { workflowOf } from '../support/runs/scenario.ts';
import { chain } from '../support/runs/scenarios.ts';

/** Settings that the guide recommends. */
const recommended = ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '3'];
/** Time after which the guide lets a silent master be replaced, in milliseconds. */
const downAfterMs = 5000;
/** Longer than that, and shorter than the time in which clients give a server up. */
const stallMs = 7000;

type Finally = (close: () => Promise<void>) => void;

async function loadOn(
  where: Parameters<typeof startFailoverLoad>[0],
  onTestFinished: Finally,
  lanes?: Parameters<typeof startFailoverLoad>[1],
): Promise<FailoverLoad> {
  const load = await startFailoverLoad(where, lanes);
  onTestFinished(() => load.close());
  await load.untilStarted(100);
  return load;
}

/** Prints what was measured, for the guide. */
function measured(what: string, { started, lost, longestGapMs, lines }: LoadOutcome, recoveredMs: number): void {
  const numbers = {
    started,
    lost: lost.length,
    longestGapMs: Math.round(longestGapMs),
    recoveredMs: Math.round(recoveredMs),
  };
  process.stderr.write(`${what}: ${JSON.stringify({ ...numbers, lines: lines.length })}\n`);
}

describe('three sentinels, a master and two replicas, as the guide recommends', () => {
  it.each(['is killed', 'stalls for seven seconds'] as const)(
    'loses no acknowledged start, answer or result when the master %s, and continues within ten seconds',
    async (fate) => {
      const closers: (() => Promise<void>)[] = [];
      try {
        const redis = await startWatchedRedis({ replicas: 2, sentinels: 3, downAfterMs, settings: recommended });
        closers.unshift(() => redis.stop());
        const load = await loadOn({ redisUrl: redis.url, replicas: 1 }, (close) => closers.unshift(close));
        const master = redis.servers[0]?.server;

        if (fate === 'is killed') await master?.kill();
        else await master?.freeze();
        const recovering = load.untilStarted(10);
        if (fate !== 'is killed') {
          await sleep(stallMs);
          await master?.thaw();
        }
        const recoveredMs = await recovering;
        const outcome = await load.finish();

        measured(`master ${fate}`, outcome, recoveredMs);
        expect(outcome).toMatchObject({ lost: [], stuck: [], wrong: [], violations: [] });
        expect(recoveredMs).toBeLessThan(10_000);
        expect(outcome.lines.length).toBeLessThan(20);
      } finally {
        for (const close of closers) await close();
      }
    },
  );
});

describe('a master that is cut off from its replicas, and dies', () => {
  async function loseMaster(
    { settings, replicas }: { readonly settings: readonly string[]; readonly replicas: number },
    onTestFinished: Finally,
  ): Promise<LoadOutcome> {
    const redis = await startWatchedRedis({ replicas: 2, sentinels: 3, downAfterMs: 2000, settings });
    onTestFinished(() => redis.stop());
    // People who answer a lost run would wait for it.
    const lanes = settings.length + replicas === 0 ? { attendants: 0 } : {};
    const load = await loadOn({ redisUrl: redis.url, replicas }, onTestFinished, lanes);
    const [master, ...others] = redis.servers;
    if (master === undefined) throw new Error('There is a master.');
    for (const { server } of others) await server.freeze();
    await tellRedis(master.server.url, 'CLIENT', 'KILL', 'TYPE', 'replica');
    await sleep(1500);
    await master.server.kill();
    for (const { server } of others) await server.thaw();
    const recoveredMs = await load.untilStarted(50);
    const outcome = await load.finish();
    measured(`cut off, ${settings.join(' ')}, MILLRACE_REPLICAS=${replicas}`, outcome, recoveredMs);
    return outcome;
  }

  it('loses acknowledged runs without min-replicas-to-write, as the guide says and each start warns', async ({
    onTestFinished,
  }) => {
    const { lost } = await loseMaster({ settings: [], replicas: 0 }, onTestFinished);

    expect(lost.length).toBeGreaterThan(0);
  });

  it.for([
    ['min-replicas-to-write', recommended, 0],
    ['MILLRACE_REPLICAS', [], 1],
  ] as const)(
    'loses no acknowledged start, answer or result with %s',
    async ([_name, settings, replicas], { onTestFinished }) => {
      const { lost, stuck, wrong, violations } = await loseMaster({ settings, replicas }, onTestFinished);

      expect({ lost, stuck, wrong, violations }).toEqual({ lost: [], stuck: [], wrong: [], violations: [] });
    },
  );
});

describe('a process that was idle while its master stalled for seven seconds', () => {
  /** Starts runs through the former master as soon as it answers again; returns the ids of those that are lost. */
  async function startAfterStall(settings: readonly string[], onTestFinished: Finally): Promise<readonly RunId[]> {
    const redis = await startWatchedRedis({ replicas: 2, sentinels: 3, downAfterMs: 2000, settings });
    onTestFinished(() => redis.stop());
    const load = await loadOn({ redisUrl: redis.url }, onTestFinished, { attendants: 0 });
    const idle = await openRuntime({ redisUrl: redis.url }, createVocabulary(), () => undefined);
    onTestFinished(() => idle.close());
    const master = redis.servers[0]?.server;

    await master?.freeze();
    await sleep(stallMs);
    await master?.thaw();
    const started: RunId[] = [];
    for (let n = 0; n < 20; n++)
      started.push(await idle.runs.start({ workflow: workflowOf(chain, createVocabulary()), input: 'Go.' }));
    const { lost } = await load.finish();
    const found = await Promise.all(started.map((run) => load.knows(run)));
    process.stderr.write(`stall, ${settings.join(' ')}: ${lost.length} lost of the others\n`);
    return started.filter((_run, at) => found[at] === false);
  }

  it('loses no acknowledged start with min-replicas-to-write', async ({ onTestFinished }) => {
    expect(await startAfterStall(recommended, onTestFinished)).toEqual([]);
  });
});

describe('a cluster, as the guide recommends', () => {
  const prefix = '{cluster}';
  const settings = ['--cluster-node-timeout', String(downAfterMs), ...recommended];

  it.each(['is killed', 'stalls for seven seconds'] as const)(
    'continues within ten seconds, with all that was acknowledged, when the master %s: nine nodes',
    async (fate) => {
      const closers: (() => Promise<void>)[] = [];
      try {
        const cluster = await startRedisCluster({ replicas: 2, settings });
        closers.unshift(() => cluster.stop());
        const load = await loadOn({ redisUrl: cluster.url, prefix, replicas: 1 }, (close) => closers.unshift(close));
        const { server } = await cluster.ownerOf(`${prefix}:probe`);

        if (fate === 'is killed') await server.kill();
        else await server.freeze();
        const recovering = load.untilStarted(10);
        if (fate !== 'is killed') {
          await sleep(stallMs);
          await server.thaw();
        }
        const recoveredMs = await recovering;
        const outcome = await load.finish();

        measured(`nine nodes, master ${fate}`, outcome, recoveredMs);
        expect(outcome).toMatchObject({ lost: [], stuck: [], wrong: [], violations: [] });
        expect(recoveredMs).toBeLessThan(10_000);
        expect(outcome.lines.length).toBeLessThan(20);
      } finally {
        for (const close of closers) await close();
      }
    },
  );

  it('acknowledges nothing with six nodes until the one that died is back, and loses nothing', async ({
    onTestFinished,
  }) => {
    const cluster = await startRedisCluster({ replicas: 1, settings });
    onTestFinished(() => cluster.stop());
    const load = await loadOn({ redisUrl: cluster.url, prefix, replicas: 1 }, onTestFinished);
    const former = await cluster.ownerOf(`${prefix}:probe`);
    const replica = await cluster.replicaOf(`${prefix}:probe`);

    await former.server.kill();
    while (((await tellRedis(replica.server.url, 'ROLE')) as readonly unknown[])[0] !== 'master') await sleep(100);
    const atPromotion = load.started();
    // Twice the time that nine nodes need after that, and more.
    await sleep(10_000);
    const meanwhile = load.started() - atPromotion;
    await former.server.restart();
    const recoveredMs = await load.untilStarted(10);
    const outcome = await load.finish();

    measured('six nodes, master is killed, and back after ten seconds', outcome, recoveredMs);
    expect(meanwhile).toBe(0);
    expect(outcome).toMatchObject({ lost: [], stuck: [], wrong: [], violations: [] });
  });

  it('loses nothing while the slot of an installation goes round all masters', async ({ onTestFinished }) => {
    const cluster = await startRedisCluster({ replicas: 2, settings });
    onTestFinished(() => cluster.stop());
    const load = await loadOn({ redisUrl: cluster.url, prefix, replicas: 1 }, onTestFinished);

    for (let times = 0; times < 3; times++) {
      const owner = await cluster.ownerOf(`${prefix}:probe`);
      const masters = cluster.nodes.slice(0, 3);
      const next = masters[(masters.indexOf(owner) + 1) % masters.length];
      if (next === undefined) throw new Error('The cluster has three masters.');
      await cluster.moveSlot(`${prefix}:probe`, next);
      await load.untilStarted(50);
    }
    const outcome = await load.finish();

    measured('slot moves', outcome, 0);
    expect(outcome).toMatchObject({ lost: [], stuck: [], wrong: [], violations: [] });
    expect(outcome.longestGapMs).toBeLessThan(10_000);
  });
});
