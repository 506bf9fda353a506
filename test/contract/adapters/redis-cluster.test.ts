import { randomUUID } from 'node:crypto';
import { connect, createBullQueue, createRedisBlobs, createRedisStore, createShard } from '@millrace/runtime';
import { describe } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { startRedisCluster } from '../../support/redis/redis-cluster.ts';
import { blobsContract } from '../blobs.ts';
import type { QueueFixture } from '../queue.ts';
import { queueContract } from '../queue.ts';
import { storeContract } from '../store/store.ts';

const cluster = openBeforeAll(startRedisCluster);

/** Two processes with an installation of their own, whose keys may be at any of the nodes. */
function openShards() {
  const prefix = `{${randomUUID()}}`;
  const shards = ['one', 'two'].map((role) => createShard(connect(cluster.url, role, prefix), prefix));
  const disconnect = () => {
    for (const { connection } of shards) connection.disconnect();
  };
  return { shards: shards as [(typeof shards)[0], (typeof shards)[0]], disconnect }; // one for each role
}

describe('in a cluster', () => {
  storeContract('in a Redis cluster', async () => {
    const { shards, disconnect } = openShards();
    const [store, other] = [createRedisStore({ shard: shards[0] }), createRedisStore({ shard: shards[1] })];
    return {
      store,
      other,
      async close() {
        await Promise.all([store.close(), other.close()]);
        disconnect();
      },
    };
  });

  queueContract('BullMQ in a Redis cluster', async () => {
    const { shards, disconnect } = openShards();
    const errors: QueueFixture['errors'][number][] = [];
    const onError: Parameters<typeof createBullQueue>[0]['onError'] = (error, wake) => errors.push({ error, wake });
    const [queue, other] = [
      createBullQueue({ shard: shards[0], onError }),
      createBullQueue({ shard: shards[1], onError }),
    ];
    return {
      queue,
      other,
      errors,
      async close() {
        await Promise.all([queue.close(), other.close()]);
        disconnect();
      },
    };
  });

  blobsContract('in a Redis cluster', async () => {
    const { shards, disconnect } = openShards();
    const [blobs, other] = [createRedisBlobs(shards[0]), createRedisBlobs(shards[1])];
    return { blobs, other, close: async () => disconnect() };
  });
});
