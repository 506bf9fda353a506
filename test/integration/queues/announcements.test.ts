import { randomUUID } from 'node:crypto';
import { createVocabulary } from '@millrace/catalog';
import type { Wake } from '@millrace/core';
import type { Runtime } from '@millrace/runtime';
import { connect, createShard, openRuntime } from '@millrace/runtime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createRedisBroadcast } from '../../../packages/runtime/src/adapters/redis/redis-broadcast.ts';
import { startRefresh } from '../../../packages/runtime/src/live/refresh.ts';
import { quickly } from '../../support/fakes/processors.ts';
import { openBeforeEach } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';

const installation = newInstallation();
const connection = openBeforeEach(() => connect(installation.url, 'test'));

let prefix = '';
let one: Runtime;
let two: Runtime;
beforeEach(async () => {
  prefix = `{announced-${randomUUID()}}`;
  const open = () => openRuntime({ redisUrl: installation.url, prefix }, createVocabulary(), () => undefined);
  [one, two] = await Promise.all([open(), open()]);
});
afterEach(async () => {
  await Promise.all([one.close(), two.close()]);
});

/** Shorter than the time after which processes look by themselves. */
const announcedMs = 3000;

/** A recovery that has found all queues empty looks again after five seconds; a worker by itself, after a minute. */
const recoveredMs = 12_000;

it('lets a worker of all queues serve a new one at once', async () => {
  const { processor, done, untilDone } = quickly();
  two.queue.consume(processor, { concurrency: 1, name: 'all', queues: 'all' });
  await two.queue.wake([{ run: 'run_1', activation: 'a1', token: 't' }]);
  await untilDone(1);
  const wokenAt = performance.now();

  await one.queue.wake([{ run: 'run_1', activation: 'a2', token: 't', queue: 'gpu' }]);
  await untilDone(2);

  expect(performance.now() - wokenAt).toBeLessThan(announcedMs);
  expect(done).toHaveLength(2);
});

it('tells all processes that limits have changed', async () => {
  const shard = createShard(connection, prefix);
  const broadcast = createRedisBroadcast(shard);
  let reads = 0;
  const refresh = startRefresh({
    of: 'limits',
    broadcast,
    read: async () => {
      reads += 1;
    },
    onError: (error) => expect.fail(error.message),
  });
  // At the start, and when announcements arrive.
  await expect.poll(() => reads).toBe(2);

  await one.limits.set({ tenant: 'acme', activations: 1 });

  await expect.poll(() => reads, { timeout: announcedMs }).toBe(3);
  refresh.close();
  broadcast.close();
});

it('wakes a worker for a job whose marker was lost', async () => {
  const { processor, done, untilDone } = quickly();
  const meta = `${prefix}:v4:jobs:meta`;
  two.queue.consume(processor, { concurrency: 1, name: 'waiting' });
  two.startCaretaker();
  await two.queue.wake([{ run: 'run_1', activation: 'a1', token: 't' }]);
  await untilDone(1);
  // A job that is added meanwhile has no marker, as if the worker that took it had died.
  await connection.hset(meta, 'paused', '1');
  const wake: Wake = { run: 'run_1', activation: 'a2', token: 't' };
  await one.queue.wake([wake]);
  const addedAt = performance.now();
  await connection.hdel(meta, 'paused');

  await untilDone(2);

  expect(performance.now() - addedAt).toBeLessThan(recoveredMs);
  expect(done).toHaveLength(2);
});
