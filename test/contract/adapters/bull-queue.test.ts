import { randomUUID } from 'node:crypto';
import type { Wake } from '@millrace/core';
import { wakeId } from '@millrace/core';
import { connect, createBullQueue, createShard } from '@millrace/runtime';
import type { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { quickly, slowly } from '../../support/fakes/processors.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { waitUntil } from '../../support/waiting.ts';
import type { QueueFixture } from '../queue.ts';
import { queueContract } from '../queue.ts';

const installation = newInstallation();

async function open(): Promise<QueueFixture & { readonly connections: readonly [Redis, Redis] }> {
  const prefix = installation.prefix.replace('}', `-${randomUUID()}}`);
  const errors: QueueFixture['errors'][number][] = [];
  const onError: Parameters<typeof createBullQueue>[0]['onError'] = (error, wake) => errors.push({ error, wake });
  const connections = [connect(installation.url, 'one'), connect(installation.url, 'two')] as const;
  const [queue, other] = [
    createBullQueue({ shard: createShard(connections[0], prefix), onError }),
    createBullQueue({ shard: createShard(connections[1], prefix), onError }),
  ];
  return {
    queue,
    other,
    errors,
    connections,
    async close() {
      await Promise.all([queue.close(), other.close()]);
      for (const connection of connections) connection.disconnect();
    },
  };
}

queueContract('BullMQ', open);

it('counts the consumers of all processes', async () => {
  const { queue, other, close } = await open();
  const consumer = queue.consume(async () => undefined, { concurrency: 1, name: 'one' });
  other.consume(async () => undefined, { concurrency: 1, name: 'two' });
  await waitUntil(async () => (await queue.consumers()) === 2);

  await consumer.close();
  await waitUntil(async () => (await other.consumers()) === 1);

  await close();
});

it('gives the work of an unresponsive worker to another within ten seconds', async () => {
  const { queue, other, connections, close } = await open();
  const [stuck, recovered] = [slowly(), quickly()];
  const wake: Wake = { run: 'run_1', activation: 'a1', token: 't' };
  queue.consume(stuck.processor, { concurrency: 1, name: 'silent' });
  await queue.wake([wake]);
  await stuck.untilStarted(1);
  other.consume(recovered.processor, { concurrency: 1, name: 'other' });

  // From here on it renews no lock.
  connections[0].disconnect();
  const silentSince = performance.now();
  await recovered.untilDone(1);

  expect(recovered.done).toEqual([wakeId(wake)]);
  expect(performance.now() - silentSince).toBeLessThan(10_000);
  stuck.finish();
  await close();
});

it('registers a queue as soon as Redis has memory for it', async () => {
  const redis = await startRedis();
  const connection = connect(redis.url, 'test');
  const queue = createBullQueue({ shard: createShard(connection), onError: () => undefined });
  const wake: Wake = { run: 'run_1', activation: 'a1', token: 't', queue: 'gpu' };
  await connection.config('SET', 'maxmemory', '1');

  const waking = queue.wake([wake]);
  const meanwhile = (await queue.loads()).map((load) => load.queue);
  await connection.config('SET', 'maxmemory', '0');
  await waking;

  expect(meanwhile).toEqual(['default']);
  expect((await queue.loads()).map((load) => load.queue)).toEqual(['default', 'gpu']);
  await queue.close();
  connection.disconnect();
  await redis.stop();
});
