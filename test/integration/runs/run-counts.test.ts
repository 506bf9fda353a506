import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createShard } from '../../../packages/runtime/src/adapters/redis/connection/shard.ts';
import { createKeys } from '../../../packages/runtime/src/adapters/redis/location/keys.ts';
import { createRedisStore } from '../../../packages/runtime/src/adapters/redis/store/redis-store.ts';
import { summaryOf } from '../../contract/store/store-harness.ts';
import { newInstallation } from '../../support/redis/installation.ts';

const installation = newInstallation();
let connection: Redis;
beforeAll(async () => {
  connection = new Redis(installation.url);
});
afterAll(async () => {
  connection.disconnect();
});

it('counts the newest 10,000 runs of a workflow, and reports that there are more', async () => {
  const keys = createKeys(installation.prefix);
  const store = createRedisStore({ shard: createShard(connection, installation.prefix) });
  const lists = keys.lists('default');
  const summaries = Array.from({ length: 10_001 }, (_, at) => ({ ...summaryOf(`run_${at}`, at), workflow: 'wide' }));
  const pipeline = connection.pipeline();
  for (const summary of summaries) {
    pipeline.hset(keys.summaries, summary.run, JSON.stringify(summary));
    pipeline.zadd(lists.workflow('wide'), summary.startedAt, summary.run);
  }
  await pipeline.exec();

  expect(await store.countRuns({ workflow: 'wide' })).toEqual({ byStatus: { running: 10_000 }, asks: 0, capped: true });
  expect(await store.countRuns({ workflow: 'wide', since: 1 })).toMatchObject({
    byStatus: { running: 10_000 },
    capped: false,
  });
  await store.close();
});
