import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '@millrace/runtime';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectWatched } from '../../../packages/runtime/src/adapters/redis/connection/connection.ts';
import { freePort } from '../../support/redis/free-port.ts';
import type { RedisServer } from '../../support/redis/redis.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { tellRedis } from '../../support/redis/tell-redis.ts';
import { waitUntil } from '../../support/waiting.ts';

const start = async (...settings: string[]): Promise<RedisServer> => {
  const server = await startRedis(settings);
  onTestFinished(server.stop);
  return server;
};

/** Waits until a connection has found out that there is an outage; its code. */
async function outageOn({ outages }: ReturnType<typeof connectWatched>): Promise<string> {
  for (;;) {
    const outage = outages.current();
    if (outage !== undefined) return outage.code;
    await sleep(10);
  }
}

describe('a command', () => {
  it('waits until a cluster serves all slots', async () => {
    const server = await start('--port', String(await freePort()), '--cluster-enabled', 'yes', '--bind', '127.0.0.1');
    const watched = connectWatched(server.url, 'test');

    const writing = watched.connection.set('{x}:a', '1');
    const code = await outageOn(watched);
    await tellRedis(server.url, 'CLUSTER', 'ADDSLOTSRANGE', 0, 16383);

    expect(code).toBe('REDIS_CLUSTER_DOWN');
    expect(await writing).toBe('OK');
    watched.connection.disconnect();
  });

  it('waits while a replica loads the data of its master over open connections, and until it is a master', async () => {
    const port = await freePort();
    const sync = ['--repl-diskless-sync-delay', '0', '--rdbcompression', 'no'];
    const master = await start('--port', String(port), '--bind', '127.0.0.1', ...sync);
    for (let key = 0; key < 40; key++) await tellRedis(master.url, 'SET', `key-${key}`, 'x'.repeat(4096));
    const server = await start('--loading-process-events-interval-bytes', '1024');
    await tellRedis(server.url, 'CONFIG', 'SET', 'key-load-delay', 50_000);
    const watched = connectWatched(server.url, 'test');
    await watched.connection.ping();

    await tellRedis(server.url, 'REPLICAOF', '127.0.0.1', port);
    let read: Promise<unknown> = Promise.resolve();
    while (watched.outages.current() === undefined) {
      read = watched.connection.get('key-39');
      await sleep(20);
    }
    const code = watched.outages.current()?.code;
    const found = await read;
    const writing = watched.connection.set('a', '1');
    await tellRedis(server.url, 'REPLICAOF', 'NO', 'ONE');

    expect(code).toBe('REDIS_LOADING');
    expect(found).toBe('x'.repeat(4096));
    expect(await writing).toBe('OK');
    watched.connection.disconnect();
  });

  it('is executed in its order among others that had to wait', async () => {
    const server = await start();
    const watched = connectWatched(server.url, 'test');
    await tellRedis(server.url, 'CONFIG', 'SET', 'min-replicas-to-write', 1);

    const writing = [1, 2, 3].map((value) => watched.connection.rpush('list', value));
    await outageOn(watched);
    await tellRedis(server.url, 'CONFIG', 'SET', 'min-replicas-to-write', 0);

    expect(await Promise.all(writing)).toEqual([1, 2, 3]);
    expect(await watched.connection.lrange('list', 0, -1)).toEqual(['1', '2', '3']);
    watched.connection.disconnect();
  });

  it('waits as a part of a transaction, which is executed once and as a whole', async () => {
    const server = await start();
    const watched = connectWatched(server.url, 'test');
    watched.connection.defineCommand('addTwice', {
      numberOfKeys: 1,
      lua: "redis.call('incr', KEYS[1]) return redis.call('incr', KEYS[1])",
    });
    await tellRedis(server.url, 'CONFIG', 'SET', 'min-replicas-to-write', 1);

    const transaction = watched.connection.multi().incr('a');
    Reflect.get(transaction, 'addTwice').call(transaction, 'b');
    const writing = transaction.hset('c', { d: '1' }).hgetall('c').exec();
    await outageOn(watched);
    const meanwhile = await watched.connection.exists('a', 'b', 'c');
    await tellRedis(server.url, 'CONFIG', 'SET', 'min-replicas-to-write', 0);

    expect(meanwhile).toBe(0);
    expect(await writing).toEqual([
      [null, 1],
      [null, 2],
      [null, 1],
      [null, { d: '1' }],
    ]);
    watched.connection.disconnect();
  });

  it('waits as a part of a pipeline', async () => {
    const server = await start();
    const watched = connectWatched(server.url, 'test');
    await tellRedis(server.url, 'CONFIG', 'SET', 'min-replicas-to-write', 1);

    const writing = watched.connection.pipeline().get('a').incr('a').incr('a').exec();
    await outageOn(watched);
    await tellRedis(server.url, 'CONFIG', 'SET', 'min-replicas-to-write', 0);

    expect(await writing).toEqual([
      [null, null],
      [null, 1],
      [null, 2],
    ]);
    watched.connection.disconnect();
  });

  it('fails with the reason when a transaction contains what Redis never permits', async () => {
    const server = await start();
    const { url } = server;
    await tellRedis(url, 'ACL', 'SETUSER', 'default', '-incr');
    const { connection } = connectWatched(url, 'test');

    await expect(connection.incr('a')).rejects.toMatchObject({ code: 'REDIS_PERMISSION' });
    await expect(connection.multi().set('a', '1').incr('a').exec()).rejects.toMatchObject({
      code: 'REDIS_PERMISSION',
      message: expect.stringContaining('incr'),
    });

    expect(await connection.exists('a')).toBe(0);
    connection.disconnect();
  });

  it('fails when its connection is closed while it waits', async () => {
    const server = await start();
    const watched = connectWatched(server.url, 'test');
    await tellRedis(server.url, 'CONFIG', 'SET', 'min-replicas-to-write', 1);
    const writing = watched.connection.set('a', '1');
    await outageOn(watched);

    watched.connection.disconnect();

    await expect(writing).rejects.toThrow('Connection is closed.');
  });
});

it('ends a connection at once between two attempts to connect', async () => {
  const server = await start();
  const connection = connect(server.url, 'test');
  await connection.ping();
  await server.kill();
  const waiting = connection.get('a');
  await waitUntil(() => connection.status === 'reconnecting');

  const ended = new Promise((resolve) => connection.once('end', resolve));
  connection.disconnect();

  await ended;
  await expect(waiting).rejects.toThrow('Connection is closed.');
});
