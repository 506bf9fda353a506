import { randomUUID } from 'node:crypto';
import { agendaItemId } from '@millrace/core';
import type { Shard } from '@millrace/runtime';
import { connect, createShard } from '@millrace/runtime';
import { expect, it, onTestFinished } from 'vitest';
import { createRedisBroadcast } from '../../../packages/runtime/src/adapters/redis/redis-broadcast.ts';
import type { RedisAgenda } from '../../../packages/runtime/src/adapters/redis/store/redis-agenda.ts';
import { createRedisAgenda } from '../../../packages/runtime/src/adapters/redis/store/redis-agenda.ts';
import type { StoreClock } from '../../../packages/runtime/src/ports/store/store-clock.ts';
import { createStoreClock, readTime } from '../../../packages/runtime/src/ports/store/store-clock.ts';
import { openBeforeAll } from '../../support/fixtures.ts';
import { startRedis } from '../../support/redis/redis.ts';

const redis = openBeforeAll(startRedis);

/** A process that reads the agenda. */
interface Reader {
  readonly agenda: RedisAgenda;
  readonly clock: StoreClock;
  readonly shard: Shard;
  add(at: number): Promise<unknown>;
}

async function openReader(prefix = `{agenda-${randomUUID()}}`): Promise<Reader> {
  const shard = createShard(connect(redis.url, 'test'), prefix);
  const { connection, keys } = shard;
  const [broadcast, clock] = [createRedisBroadcast(shard), createStoreClock()];
  await readTime(connection, clock);
  const agenda = createRedisAgenda({ connection, keys, clock, broadcast });
  onTestFinished(() => {
    agenda.close();
    broadcast.close();
    connection.disconnect();
  });
  const item = agendaItemId({ run: 'run_1', activation: 'a1', token: 't' });
  return { agenda, clock, shard, add: (at) => connection.zadd(keys.agenda, at, item) };
}

it('waits exactly until the first entry of the agenda is due', async () => {
  const { agenda, clock, add } = await openReader();
  const dueAt = clock.now() + 700;
  await add(dueAt);

  expect(await agenda.access.untilDue(AbortSignal.timeout(60_000))).toBe(true);

  expect(clock.now()).toBeGreaterThanOrEqual(dueAt);
  expect(clock.now()).toBeLessThan(dueAt + 500);
});

it('waits no longer than until the clock of Redis is set forward', async () => {
  const { agenda, clock, add } = await openReader();
  const hourMs = 3_600_000;
  await add(clock.now() + hourMs);
  const due = agenda.access.untilDue(AbortSignal.timeout(60_000));

  clock.ask()(clock.now() + hourMs + 1);

  expect(await due).toBe(true);
});

it('stops waiting when its process stops', async () => {
  const { agenda } = await openReader();
  const stop = new AbortController();
  const due = agenda.access.untilDue(stop.signal);

  stop.abort();

  expect(await due).toBe(false);
});

it('announces entries that are due soon, once a second', async () => {
  const { agenda, clock, shard } = await openReader();
  const published = async () =>
    Number(/^cmdstat_publish:calls=(\d+)/m.exec(await shard.connection.info('commandstats'))?.[1] ?? 0);
  const before = await published();

  agenda.announce([{ at: clock.now() + 60_000 }]);
  expect(await published()).toBe(before);
  for (let times = 0; times < 100; times += 1) agenda.announce([{ at: clock.now() + 100 }]);

  expect(await published()).toBe(before + 1);
});
