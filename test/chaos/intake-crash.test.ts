import { createVocabulary } from '@millrace/catalog';
import { openRuntime } from '@millrace/runtime';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openBeforeAll } from '../support/fixtures.ts';
import { startWorkerProcess } from '../support/processes/worker-process.ts';
import { startRedis } from '../support/redis/redis.ts';
import { waitUntil } from '../support/waiting.ts';

const jobs = 100;
const yaml = 'graph:\n  id: hello\n  nodes: [{ id: Say, type: literal, config: { content: hi } }]\n';

const redis = openBeforeAll(startRedis);
const runtime = openBeforeAll(() => openRuntime({ redisUrl: redis.url }, createVocabulary(), () => undefined));
let theirs: Queue;
beforeAll(async () => {
  theirs = new Queue('millrace-intake', { connection: { url: redis.url }, prefix: '{millrace}' });
});
afterAll(async () => {
  await theirs.close();
});

it('starts one run for each job when the process that takes jobs is killed', async () => {
  const put = Array.from({ length: jobs }, (_, at) => ({
    name: 'run',
    data: { workflow: { yaml } },
    opts: { jobId: `job-${at}` },
  }));
  const killed = await startWorkerProcess(redis.url);
  await theirs.addBulk(put);
  // Runs have been started whose jobs are not done with.
  await vi.waitUntil(async () => (await runtime.runs.list({ limit: 5 })).runs.length > 0, {
    interval: 1,
    timeout: 20_000,
  });
  await killed.kill();
  const active = await theirs.getActiveCount();

  const successor = await startWorkerProcess(redis.url);
  await waitUntil(async () => (await theirs.getCompletedCount()) === jobs);
  const { runs } = await runtime.runs.list({ limit: 200 });
  await successor.kill();

  expect(active).toBeGreaterThan(0);
  expect(runs).toHaveLength(jobs);
});
