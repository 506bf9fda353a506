import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { startRedis } from './redis.ts';
import type { RedisProxy } from './redis-proxy.ts';
import { openRedisProxy } from './redis-proxy.ts';
import { tellRedis } from './tell-redis.ts';

/** A master and its replica behind one address. */
export interface RedisPair {
  readonly proxy: RedisProxy;
  /**
   * Makes the replica the master and the master its replica. New connections reach the new master; those that there are
   * stay open, and lead to what is a replica now.
   */
  failOver(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts both; the replica has caught up. */
export async function startRedisPair(): Promise<RedisPair> {
  const nodes = await Promise.all(
    [await freePort(), await freePort()].map(async (port) => {
      const server = await startRedis([
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--repl-diskless-sync-delay',
        '0',
      ]);
      return { port, server };
    }),
  );
  let [master, replica] = nodes as [(typeof nodes)[0], (typeof nodes)[0]]; // two ports, two servers
  const caughtUp = async (): Promise<void> => {
    while (!String(await tellRedis(replica.server.url, 'INFO', 'replication')).includes('master_link_status:up'))
      await pause(20);
  };
  await tellRedis(replica.server.url, 'REPLICAOF', '127.0.0.1', master.port);
  await caughtUp();
  const proxy = await openRedisProxy(master.server.url);
  return {
    proxy,
    async failOver() {
      await tellRedis(replica.server.url, 'REPLICAOF', 'NO', 'ONE');
      proxy.repoint(replica.server.url);
      await tellRedis(master.server.url, 'REPLICAOF', '127.0.0.1', replica.port);
      [master, replica] = [replica, master];
    },
    async stop() {
      await proxy.close();
      await Promise.all(nodes.map(({ server }) => server.stop()));
    },
  };
}
