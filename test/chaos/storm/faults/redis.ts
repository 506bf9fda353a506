import { setTimeout as sleep } from 'node:timers/promises';
import { tellRedis } from '../../../support/redis/tell-redis.ts';
import { waitUntil } from '../../../support/waiting.ts';
import type { FaultContext, FaultDefinition } from '../fault.ts';

const awayMs = 16_000;

/** SIGKILL to Redis, which is back soon. */
export const redisKilled: FaultDefinition = {
  times: 2,
  inject: (context) => withoutRedis(context, 'redisKilled', context.chance.below(1500)),
};

/** SIGKILL to Redis, which is away for long. */
export const redisAway: FaultDefinition = {
  times: 'once',
  inject: (context) => withoutRedis(context, 'redisAway', awayMs),
};

/** All that BullMQ knows is deleted. */
export const jobsDeleted: FaultDefinition = {
  times: 1,
  async inject({ fleet, note }) {
    note('jobsDeleted');
    await fleet.wipeQueue();
  },
};

/** All connections to Redis are closed. */
export const connectionsCut: FaultDefinition = {
  times: 1,
  async inject({ fleet, note }) {
    note('connectionsCut');
    fleet.proxy.cut();
  },
};

/** Redis is a replica without a master for some seconds. */
export const redisReadOnly: FaultDefinition = {
  times: 1,
  async inject(context) {
    const { url } = context.fleet.redis;
    // There is no master at that port.
    await tellRedis(url, 'REPLICAOF', '127.0.0.1', 1);
    await someSeconds(context);
    await tellRedis(url, 'REPLICAOF', 'NO', 'ONE');
    context.note('redisReadOnly');
  },
};

/** SIGSTOP to Redis for some seconds. */
export const redisFrozen: FaultDefinition = {
  times: 1,
  async inject(context) {
    const { redis } = context.fleet;
    await redis.freeze();
    await someSeconds(context);
    await redis.thaw();
    context.note('redisFrozen');
  },
};

/** The disk of Redis is full for some seconds. */
export const diskFull: FaultDefinition = {
  times: 1,
  async inject(context) {
    const { disk, fleet } = context;
    if (disk === undefined) return;
    disk.fill();
    await someSeconds(context);
    disk.free();
    await rewritten(fleet.redis.url);
    context.note('diskFull');
  },
};

/** Kills Redis, and starts it again after this time. */
export async function withoutRedis({ fleet, note }: FaultContext, kind: string, ms: number): Promise<void> {
  await fleet.redis.kill();
  await sleep(ms);
  await fleet.redis.restart();
  note(kind);
}

const someSeconds = ({ chance }: FaultContext): Promise<void> => sleep(500 + chance.below(4000));

/**
 * Waits until Redis has rewritten its append-only file. A write that the full disk has cut short may be in the old
 * one, and Redis 7.0 would not start with it after a crash.
 */
async function rewritten(url: string): Promise<void> {
  const holds = async (line: string) => String(await tellRedis(url, 'INFO', 'persistence')).includes(line);
  await waitUntil(() => holds('aof_last_write_status:ok'));
  await tellRedis(url, 'BGREWRITEAOF').catch(() => undefined);
  await waitUntil(
    async () => !(!(await holds('aof_rewrite_in_progress:0')) || !(await holds('aof_rewrite_scheduled:0'))),
  );
}
