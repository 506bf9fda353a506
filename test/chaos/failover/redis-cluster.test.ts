import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '@millrace/runtime';
import { describe, expect, it } from 'vitest';
import { connectWatched } from '../../../packages/runtime/src/adapters/redis/connection/connection.ts';
import { startFailoverLoad } from '../../support/faults/failover-load.ts';
import { openBeforeAll } from '../../support/fixtures.ts';
import { startRedisCluster } from '../../support/redis/redis-cluster.ts';
import { tellRedis } from '../../support/redis/tell-redis.ts';

const cluster = openBeforeAll(startRedisCluster);

/** Returns a master that does not store a key. */
async function otherThan(key: string) {
  const owner = await cluster.ownerOf(key);
  const other = cluster.nodes.find(({ id }) => id !== owner.id);
  if (other === undefined) throw new Error('A cluster has several masters.');
  return other;
}

describe('a connection to a cluster', () => {
  it.each(['{a}', '{b}', '{c}', '{d}'])('leads to the node that stores the keys with the prefix %s', async (prefix) => {
    const connection = connect(cluster.url, 'test', prefix);

    await connection.set(`${prefix}:x`, '1');
    const owner = await cluster.ownerOf(`${prefix}:probe`);

    expect(await tellRedis(owner.server.url, 'GET', `${prefix}:x`)).toBe('1');
    connection.disconnect();
  });

  it('follows its keys when they move, with commands, transactions and scripts under way', async () => {
    const watched = connectWatched(cluster.url, 'test', '{moving}');
    const { connection } = watched;
    const codes: string[] = [];
    watched.outages.onOutage((news) => 'outage' in news && codes.push(news.outage.code));
    for (let n = 0; n < 500; n++) await connection.set(`{moving}:key:${n}`, 'x'.repeat(1000));
    let isMoving = true;
    let [increments, transactions, scripts, longestMs] = [0, 0, 0, 0];
    const work = async (act: () => Promise<unknown>): Promise<void> => {
      while (isMoving) {
        const began = performance.now();
        await act();
        longestMs = Math.max(longestMs, performance.now() - began);
      }
    };
    const increment = "return redis.call('incr', KEYS[1]) + redis.call('incr', KEYS[2])";
    const working = [
      work(async () => {
        increments = Number(await connection.incr('{moving}:increments'));
      }),
      work(async () => {
        const replies = await connection.multi().incr('{moving}:a').incr('{moving}:b').exec();
        expect(replies?.map(([error]) => error)).toEqual([null, null]);
        transactions += 1;
      }),
      work(async () => {
        await connection.eval(increment, 2, '{moving}:c', '{moving}:d');
        scripts += 1;
      }),
    ];

    for (let times = 0; times < 3; times++) {
      await cluster.moveSlot('{moving}:x', await otherThan('{moving}:x'));
      await sleep(50);
    }
    isMoving = false;
    await Promise.all(working);

    const counted = await connection.mget('{moving}:increments', '{moving}:a', '{moving}:b', '{moving}:c');
    expect(counted).toEqual([increments, transactions, transactions, scripts].map(String));
    expect(longestMs).toBeLessThan(2000);
    expect(codes).toContain('REDIS_MOVED');
    connection.disconnect();
  });

  it('is refused with the cure when its URL names one node, and the keys are at another', async () => {
    const owner = await cluster.ownerOf('{plain}:probe');
    const other = await otherThan('{plain}:probe');
    const [there, elsewhere] = [owner, other].map(({ port }) => connect(`redis://127.0.0.1:${port}`, 'test'));

    expect(await there?.set('{plain}:x', '1')).toBe('OK');
    await expect(elsewhere?.set('{plain}:x', '1')).rejects.toMatchObject({
      code: 'REDIS_MOVED',
      message: expect.stringContaining('redis+cluster://'),
    });
    await expect(elsewhere?.multi().set('{plain}:x', '1').exec()).rejects.toMatchObject({ code: 'REDIS_MOVED' });
    there?.disconnect();
    elsewhere?.disconnect();
  });
});

it('loses nothing that was acknowledged while the slot of an installation is moved under load', async ({
  onTestFinished,
}) => {
  const prefix = '{loaded}';
  const load = await startFailoverLoad({ redisUrl: cluster.url, prefix });
  onTestFinished(() => load.close());
  await load.untilStarted(30);

  for (let times = 0; times < 2; times++) {
    await cluster.moveSlot(`${prefix}:probe`, await otherThan(`${prefix}:probe`));
    await load.untilStarted(20);
  }
  const outcome = await load.finish();

  expect(outcome).toMatchObject({ lost: [], stuck: [], wrong: [], violations: [] });
  expect(outcome.longestGapMs).toBeLessThan(10_000);
  expect(outcome.attended).toBeGreaterThan(3);
  expect(outcome.lines.length).toBeLessThan(20);
  // Scripts of BullMQ that name keys themselves wait for the move like all others.
  for (const line of outcome.lines) expect(line).toMatch(/\[REDIS_\w+\]$|^Redis is back after/);
});
