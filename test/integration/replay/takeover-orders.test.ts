import { createVocabulary } from '@millrace/catalog';
import type { Runtime } from '@millrace/runtime';
import { connect, createBatches, openRuntime } from '@millrace/runtime';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSchedules } from '../../../packages/runtime/src/resources/schedules.ts';
import { createKeys, fileSweep } from '../../../packages/runtime/src/store/keys.ts';
import { createRedisBatchRows } from '../../../packages/runtime/src/store/redis/resources/redis-batch-rows.ts';
import { createRedisRegistry } from '../../../packages/runtime/src/store/redis/resources/redis-registry.ts';
import type { RedisServer } from '../../support/redis/redis.ts';
import { startRedis } from '../../support/redis/redis.ts';

const vocabulary = createVocabulary();
const [own, first] = [createKeys(), createKeys('{millrace}', 1)];

let redis: RedisServer;
let connection: Redis;
let runtime: Runtime;

beforeEach(async () => {
  redis = await startRedis();
  connection = connect(redis.url, 'test');
  runtime = await openRuntime({ redisUrl: redis.url }, vocabulary, () => undefined);
});
afterEach(async () => {
  await runtime.close();
  connection.disconnect();
  await redis.stop();
});

const takeover = () => {
  if (runtime.takeover === undefined) throw new Error('what is in Redis can be taken over');
  return runtime.takeover;
};

describe('the work of servers of an earlier format', () => {
  const handling = (follow: string[], push: string[]) => ({
    follow: async (series: string) => void follow.push(series),
    push: async ({ tenant, id }: { tenant: string; id: string }) => void push.push(`${tenant}~${id}`),
  });
  const former = () => {
    const registry = createRedisRegistry(connection, first);
    return { registry, rows: createRedisBatchRows(connection, first), now: () => Date.now() };
  };
  const batch = { run: {}, parallel: 1, total: 2 };
  const rows = [1, 2].map((row) => ({ row, status: 'waiting' as const, json: '{}' }));

  it('is complete when a process died during the takeover', async () => {
    const wanted = { cron: '* * * * *', timezone: 'UTC', missed: 'skip', overlap: 'allow', paused: false } as const;
    await createSchedules(former(), 'acme').create({ id: 'often', run: {}, ...wanted });
    await createSchedules(former(), 'acme').note('often', { at: 1, outcome: 'skipped' });
    // No build of that format has kept the history of a schedule.
    await connection.del('{millrace}:register:ticks/acme~often');
    await createBatches(former(), 'acme').create({ ...batch, id: 'rows' }, rows);
    const died = async () => Promise.reject(new Error('died'));
    const [followed, pushed]: [string[], string[]] = [[], []];

    await expect(takeover().background({ follow: died, push: died })).rejects.toThrow('died');
    await expect(takeover().background({ ...handling(followed, pushed), push: died })).rejects.toThrow('died');
    await takeover().background(handling(followed, pushed));
    await takeover().background(handling(followed, pushed));

    expect([followed, pushed]).toEqual([['acme~often'], ['acme~rows']]);
    const schedules = createSchedules(runtime.store, 'acme');
    expect(await schedules.find('often')).toMatchObject({ cron: '* * * * *' });
    expect(await schedules.last('often')).toEqual({ at: 1, outcome: 'skipped' });
    const batches = createBatches(runtime.store, 'acme');
    expect(await batches.rows.page(await batches.find('rows'), 'waiting', { after: 0, limit: 10 })).toEqual([1, 2]);
    expect(await connection.keys('{millrace}:batch:*')).toEqual([]);
    expect(await connection.keys('{millrace}:register:*')).toEqual([]);
  });

  it('includes ended batches, and no incomplete one', async () => {
    const batches = createBatches(former(), 'token-only');
    await batches.create({ ...batch, id: 'over' }, rows);
    await batches.change('over', (found) => ({ ...found, finishedAt: 1 }));
    await former().registry.write('open-batches', 'acme~half~0c8f', JSON.stringify({ since: Date.now() }));
    const [followed, pushed]: [string[], string[]] = [[], []];

    await takeover().background(handling(followed, pushed));

    expect(await createBatches(runtime.store, 'token-only').find('over')).toMatchObject({ finishedAt: 1 });
    expect(pushed).toEqual([]);
    expect(await former().registry.read('open-batches', 'acme~half~0c8f')).toBeDefined();
  });

  it('is executed when it is due, and not taken from a process that executes it', async () => {
    const [from, to] = [first, own].map(({ home }) => new Queue('webhooks', { connection, prefix: home }));
    await from?.add('soon', { run: 'run_1' }, { jobId: 'soon' });
    await from?.add('later', { run: 'run_2' }, { jobId: 'later', delay: 60_000, attempts: 7 });
    await from?.add('busy', { run: 'run_3' }, { jobId: 'busy' });
    await connection.set(`${first.home}:webhooks:busy:lock`, 'a server');

    await takeover().background(handling([], []));

    expect(await to?.getJobCounts('wait', 'delayed')).toEqual({ wait: 1, delayed: 1 });
    const later = await to?.getJob('later');
    expect(later?.opts.attempts).toBe(7);
    expect(later?.delay).toBeGreaterThan(50_000);
    expect((await from?.getJobs(['wait', 'delayed']))?.map(({ id }) => id)).toEqual(['busy']);
    await Promise.all([from?.close(), to?.close()]);
  });

  it('is delivered by present servers if it was not delivered', async () => {
    await connection.xadd(first.outbox, '1-0', 'run', 'run_1', 'entry', '2-0');

    await takeover().background(handling([], []));

    const [[, fields] = []] = await connection.xrange(own.outbox, '-', '+');
    expect(fields).toEqual(['run', 'run_1', 'entry', '2-0']);
    expect(await connection.xlen(first.outbox)).toBe(0);
  });

  it('stays paused, and no longer deletes files', async () => {
    await connection.sadd(own.queues, 'gpu');
    const queue = new Queue('activations-gpu', { connection, prefix: first.home });
    await queue.pause();

    await takeover().runs();

    const statuses = await runtime.admin?.queueAdmin.statuses();
    expect(statuses?.map(({ name, paused }) => [name, paused])).toEqual([
      ['default', false],
      ['gpu', true],
    ]);
    expect(await connection.ttl(first.held(fileSweep))).toBe(-1);
    expect(await connection.get(own.latestFormat)).toBe(String(own.format));
    await queue.close();
  });
});
