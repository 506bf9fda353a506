import type { ActivationId, QueueName, Wake } from '@millrace/core';
import { defaultTenant } from '@millrace/core';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { AdmissionScript } from '../../../packages/runtime/src/adapters/bullmq/queue/fair/admission-script.ts';
import { createAdmissionScript } from '../../../packages/runtime/src/adapters/bullmq/queue/fair/admission-script.ts';
import { createKeys } from '../../../packages/runtime/src/adapters/redis/location/keys.ts';
import { openBeforeAll } from '../../support/fixtures.ts';
import { startRedis } from '../../support/redis/redis.ts';

const keys = createKeys('{admission}');
const run = 'run_a';

const server = openBeforeAll(startRedis);
let connection: Redis;
let script: AdmissionScript;
beforeAll(async () => {
  connection = new Redis(server.url);
  script = createAdmissionScript({ connection, keys });
});
beforeEach(async () => {
  await connection.flushall();
});
afterAll(async () => {
  connection.disconnect();
});

const wakeOf = (at: number, queue?: QueueName): Wake => {
  const wake: Wake = { run, activation: `a${at}` as ActivationId, token: 't' };
  return queue === undefined ? wake : { ...wake, queue };
};

/** Ends the work on these wakes, and returns the activations that are admitted then. */
async function next(done: readonly Wake[]): Promise<readonly Wake[]> {
  const changes = done.map(({ queue = 'default' }) => ({ run, queue, by: -1 }));
  return (await script.ask({ tenant: defaultTenant, changes, wakes: [] })).admitted;
}

it('admits the wakes of a run in their order, whichever queues they go to', async () => {
  await connection.hset(keys.limits(defaultTenant), '', 6);
  const wakes = Array.from({ length: 24 }, (_, at) => wakeOf(at, at % 2 === 0 ? 'gpu' : undefined));

  const admitted: Wake[] = [];
  let some = (await script.ask({ tenant: defaultTenant, changes: [], wakes })).admitted;
  while (some.length > 0) {
    expect(some.length).toBeLessThanOrEqual(6);
    admitted.push(...some);
    some = await next(some);
  }

  expect(admitted).toEqual(wakes);
  expect(await connection.keys('*')).toEqual([keys.limits(defaultTenant)]);
});

it('admits a wake once, however often it is asked for', async () => {
  await connection.hset(keys.limits(defaultTenant), '', 1);
  const [first, second, third] = [wakeOf(1), wakeOf(2), wakeOf(3)];
  const ask = (...wakes: Wake[]) => script.ask({ tenant: defaultTenant, changes: [], wakes });

  expect((await ask(first, second, first, second)).admitted).toEqual([first]);
  expect((await ask(second, third)).admitted).toEqual([]);

  expect(await next([first])).toEqual([second]);
  expect(await next([second])).toEqual([third]);
  expect(await next([third])).toEqual([]);
});

it('admits no wake that is in its queue already', async () => {
  await connection.hset(`${keys.home}:jobs:a2.t`, 'name', 'wake');

  const { admitted } = await script.ask({ tenant: defaultTenant, changes: [], wakes: [wakeOf(1), wakeOf(2)] });

  expect(admitted).toEqual([wakeOf(1)]);
});
