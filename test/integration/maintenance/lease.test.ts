import { randomUUID } from 'node:crypto';
import { connect, createShard } from '@millrace/runtime';
import type { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { leaseHolder, startLease } from '../../../packages/runtime/src/adapters/redis/lease.ts';
import { createRedisBroadcast } from '../../../packages/runtime/src/adapters/redis/redis-broadcast.ts';
import type { Lease } from '../../../packages/runtime/src/ports/lease.ts';
import { openBeforeAll } from '../../support/fixtures.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { waitUntil } from '../../support/waiting.ts';

const redis = openBeforeAll(startRedis);

const leaseMs = 600;
let prefix = '';

/** A process that competes for the lease, with a connection of its own. */
interface Competitor {
  readonly lease: Lease;
  readonly connection: Redis;
  /** Resolves when it holds the lease. */
  readonly held: Promise<void>;
  isHeld(): Promise<boolean>;
  /** Ends it as a crash would. */
  die(): void;
}

function compete(inPrefix = prefix): Competitor {
  const connection = connect(redis.url, 'test');
  const shard = createShard(connection, inPrefix);
  const broadcast = createRedisBroadcast(shard);
  const lease = startLease({ shard, broadcast, name: 'test', leaseMs, onError: () => undefined });
  const die = () => {
    broadcast.close();
    connection.disconnect();
  };
  onTestFinished(async () => {
    await lease.close();
    die();
  });
  return {
    lease,
    connection,
    held: lease.whenHeld(AbortSignal.timeout(20_000)),
    async isHeld() {
      const impatience = new AbortController();
      const asked = lease.whenHeld(impatience.signal).then(() => !impatience.signal.aborted);
      await connection.ping();
      impatience.abort();
      return asked;
    },
    die,
  };
}

async function open(): Promise<{ first: Competitor; second: Competitor; key: string }> {
  prefix = `{lease-${randomUUID()}}`;
  const first = compete();
  await first.held;
  const second = compete();
  const key = createShard(first.connection, prefix).keys.lease('test');
  return { first, second, key };
}

it('is held by one of several processes, for longer than it lasts without renewal', async () => {
  const { first, second, key } = await open();
  const holder = await first.connection.get(key);

  const seen = new Set<string | null>();
  const until = performance.now() + 2.5 * leaseMs;
  await waitUntil(async () => {
    seen.add(await first.connection.get(key));
    return performance.now() > until;
  });

  expect([...seen]).toEqual([holder]);
  expect(await first.isHeld()).toBe(true);
  expect(await second.isHeld()).toBe(false);
  expect(await leaseHolder(createShard(first.connection, prefix), 'test')).toMatch(new RegExp(`-${process.pid}$`));
});

it('passes at once to another process when the holder stops', async () => {
  const { first, second } = await open();
  await waitUntil(async () => Number(await numberOfListeners(second.connection)) === 2);
  const closedAt = performance.now();

  await first.lease.close();
  await second.held;

  expect(performance.now() - closedAt).toBeLessThan(leaseMs / 2);
});

it('passes to another process when it ends, after the death of the holder', async () => {
  const { first, second } = await open();
  const diedAt = performance.now();

  first.die();
  await second.held;

  expect(performance.now() - diedAt).toBeLessThan(leaseMs + 500);
});

it('is taken again by its holder when the key is deleted, and by one process in the end', async () => {
  const { first, second, key } = await open();

  await first.connection.flushall();

  await waitUntil(async () => (await first.connection.exists(key)) === 1);
  await waitUntil(async () => (await Promise.all([first.isHeld(), second.isHeld()])).filter(Boolean).length === 1);
});

it('does not last longer when the clock of Redis was set back', async () => {
  const { first, second, key } = await open();
  first.die();
  await second.connection.pexpire(key, 3_600_000);
  const third = compete();
  const askedAt = performance.now();

  await Promise.race([second.held, third.held]);

  expect(performance.now() - askedAt).toBeLessThan(3 * leaseMs + 500);
});

it('is lost by a holder that was stopped for longer than it lasts, and that does not delete the lease of another', async () => {
  const { first, second, key } = await open();
  // As after a pause of the process: the reply to its renewal comes when another process has the lease.
  await first.connection.set(key, 'another 1', 'PX', 5 * leaseMs);

  await waitUntil(async () => !(await first.isHeld()));
  await first.lease.close();

  expect(await second.connection.get(key)).toBe('another 1');
});

it('passes on after a restart of Redis', async () => {
  const { first, second } = await open();
  await redis.kill();
  first.die();

  await redis.restart();

  await second.held;
});

async function numberOfListeners(connection: Redis): Promise<unknown> {
  const [, count] = (await connection.pubsub('NUMSUB', `${prefix}:live:lease/test`)) as unknown[]; // the reply of NUMSUB
  return count;
}
