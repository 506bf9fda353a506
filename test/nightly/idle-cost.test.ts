import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '@millrace/runtime';
import { afterEach, expect, it } from 'vitest';
import type { WorkerProcess } from '../support/processes/worker-process.ts';
import { startWorkerProcess } from '../support/processes/worker-process.ts';
import { commandsPerSecond } from '../support/redis/commands-per-second.ts';
import type { RedisServer } from '../support/redis/redis.ts';
import { startRedis } from '../support/redis/redis.ts';

/** Idle workers ask for jobs every 60 seconds, so a shorter time would not count that. */
const windowMs = 60_000;
const startedAtOnce = 5;

let redis: RedisServer | undefined;
let workers: WorkerProcess[] = [];
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.kill()));
  await redis?.stop();
});

it.for([1, 10, 50])('sends at most two commands a second for each idle worker: %i processes', async (count) => {
  redis = await startRedis();
  const { url } = redis;
  workers = [];
  while (workers.length < count) {
    const more = Math.min(startedAtOnce, count - workers.length);
    workers.push(...(await Promise.all(Array.from({ length: more }, () => startWorkerProcess(url)))));
  }
  const connection = connect(url, 'test');
  // Connections and scripts are set up.
  await sleep(3000);

  const rate = await commandsPerSecond(connection, windowMs);

  process.stdout.write(`${count} idle workers: ${rate.toFixed(1)} commands a second\n`);
  connection.disconnect();
  expect(rate).toBeLessThan(2 * count);
});
