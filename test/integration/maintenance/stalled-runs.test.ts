import { createVocabulary } from '@millrace/catalog';
import { connect, inspectRun, openRuntime } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import pino from 'pino';
import { expect, it } from 'vitest';
import { openBeforeEach } from '../../support/fixtures.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { workflowOf } from '../../support/runs/scenario.ts';
import { chain, human } from '../../support/runs/scenarios.ts';

const vocabulary = createVocabulary();

const redis = openBeforeEach(startRedis);
const runtime = openBeforeEach(() => openRuntime({ redisUrl: redis.url }, vocabulary, () => undefined));

const aMinuteLater = () => runtime.store.now() + 61_000;
const inspect = (run: string, repair?: true) =>
  inspectRun(run, {
    store: runtime.store,
    queue: runtime.queue,
    vocabulary,
    now: aMinuteLater(),
    ...(repair === undefined ? {} : { repair }),
  });

/** Deletes all jobs, as a Redis does that has lost them. */
async function loseJobs(): Promise<void> {
  const connection = connect(redis.url, 'test');
  const jobs = (await connection.keys('*')).filter((key) => key.includes(':activations:'));
  await connection.del(jobs);
  connection.disconnect();
}

it('detects a run without progress for a minute whose work is in no queue, and repairs it', async () => {
  const run = await runtime.runs.start({ workflow: workflowOf(chain, vocabulary), input: 'x' });
  await loseJobs();

  const found = await inspect(run);
  expect(found).toMatchObject({ type: 'inspected', mended: 0, violations: [{ code: 'STALLED', subject: 'a1' }] });
  expect(await inspect(run, true)).toMatchObject({ mended: 1 });

  expect(await inspect(run)).toEqual({ type: 'inspected', violations: [], mended: 0 });
  const worker = startWorker({ runtime, vocabulary, concurrency: 1, name: 'w', log: pino({ level: 'silent' }) });
  for await (const _ of runtime.runs.watch(run, '0', AbortSignal.timeout(20_000)));
  expect((await runtime.runs.describe(run))?.status).toBe('completed');
  await worker.close();
});

it('accepts a run whose work waits in a queue, or that waits for a person', async () => {
  const queued = await runtime.runs.start({ workflow: workflowOf(chain, vocabulary), input: 'x' });
  expect(await inspect(queued)).toEqual({ type: 'inspected', violations: [], mended: 0 });

  const worker = startWorker({ runtime, vocabulary, concurrency: 1, name: 'w', log: pino({ level: 'silent' }) });
  const asking = await runtime.runs.start({ workflow: workflowOf(human, vocabulary), input: 'x' });
  for await (const { event } of runtime.runs.watch(asking, '0', AbortSignal.timeout(20_000)))
    if (event.type === 'activation.suspended') break;
  await worker.close();
  await loseJobs();

  expect(await inspect(asking)).toEqual({ type: 'inspected', violations: [], mended: 0 });
});

it('accepts work that waits outside of the queues', async () => {
  await runtime.limits.set({ tenant: 'default', activations: 1 });
  const workflow = workflowOf(chain, vocabulary);
  const starting = Array.from({ length: 4 }, () => runtime.runs.start({ workflow, input: 'x' }));
  const runs = await Promise.all(starting);

  for (const run of runs) expect(await inspect(run)).toEqual({ type: 'inspected', violations: [], mended: 0 });
});
