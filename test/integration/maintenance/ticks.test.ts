import { connect, createShard } from '@millrace/runtime';
import { describe, expect, it } from 'vitest';
import { createRedisScheduler } from '../../../packages/runtime/src/adapters/bullmq/scheduler/redis-scheduler.ts';
import { createTickStore } from '../../../packages/runtime/src/adapters/bullmq/scheduler/tick-store.ts';
import { openBeforeAll } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';

const everySecond = { cron: '* * * * * *', timezone: 'UTC' };

const installation = newInstallation();
const connection = openBeforeAll(() => connect(installation.url, 'test'));

/** The series of an installation of its own. */
const bookOf = (name: string) =>
  createTickStore(createShard(connection, `{${installation.prefix.slice(1, -1)}-${name}}`));
const ticksOf = (name: string) =>
  createRedisScheduler({
    shard: createShard(connection, `{${installation.prefix.slice(1, -1)}-${name}}`),
    onError: () => undefined,
  });

describe('a due tick', () => {
  it('is leased to one process, and given to another when the lease is over', async () => {
    const book = bookOf('lease');
    const at = await book.now();
    const entry = { ...everySecond, at, failures: 0 };
    await book.put('a~s', { before: undefined, after: entry, dueAt: at });

    const first = await book.take(8, 100);
    const second = await book.take(8, 100);
    await expect.poll(() => book.take(8, 100).then(({ taken }) => taken)).toHaveLength(1);

    expect(first.taken).toEqual([{ series: 'a~s', entry, now: expect.any(Number) }]);
    expect(second.taken).toEqual([]);
    expect(second.nextInMs).toBeGreaterThan(0);
  });

  it('is settled by one of two processes that handled it', async () => {
    const book = bookOf('settle');
    const entry = { ...everySecond, at: 1000, failures: 0 };
    const next = { ...entry, at: 2000 };
    await book.put('a~s', { before: undefined, after: entry, dueAt: 1000 });

    expect(await book.put('a~s', { before: entry, after: next, dueAt: 2000 })).toBe(true);
    expect(await book.put('a~s', { before: entry, after: { ...next, at: 3000 }, dueAt: 3000 })).toBe(false);
    expect(await book.read('a~s')).toEqual(next);
  });

  it('is retried as the same tick when it has failed, and followed by the next ones', async () => {
    const ticks = ticksOf('fail');
    const given: number[] = [];
    await ticks.set('a~s', everySecond);
    const consumer = ticks.consume(async ({ at }) => {
      given.push(at);
      if (given.length === 1) throw new Error('out of order');
    });

    await expect.poll(() => given.length).toBeGreaterThan(2);

    await consumer.close();
    await ticks.close();
    expect(given[1]).toBe(given[0]);
    expect(given[2]).toBeGreaterThan(given[1] ?? 0);
  });

  it('is unchanged when its series is set to the same times', async () => {
    const ticks = ticksOf('same');
    const book = bookOf('same');
    const missed = { ...everySecond, at: 1000, failures: 0 };
    await book.put('a~s', { before: undefined, after: missed, dueAt: 1000 });

    await ticks.set('a~s', everySecond);

    expect(await book.read('a~s')).toEqual(missed);
    await ticks.set('a~s', { cron: '0 0 1 1 *', timezone: 'UTC' });
    expect((await book.read('a~s'))?.at).toBeGreaterThan(await book.now());
    await ticks.close();
  });
});
