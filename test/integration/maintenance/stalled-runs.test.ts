import { createVocabulary } from '@millrace/catalog';
import { connect, inspectRun, openRuntime, readAgenda } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import pino from 'pino';
import { expect, it } from 'vitest';
import { openBeforeEach } from '../../support/fixtures.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { workflowOf } from '../../support/runs/scenario.ts';
import { chain, human } from '../../support/runs/scenarios.ts';
import { untilEnded, untilEntry } from '../../support/runs/watching.ts';
import { waitUntil } from '../../support/waiting.ts';

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

/** Deletes the keys of jobs that match, as a Redis does that has lost them. */
async function loseJobs(part = ''): Promise<void> {
  const connection = connect(redis.url, 'test');
  const jobs = (await connection.keys('*')).filter((key) => key.includes(`:jobs:${part}`));
  expect(jobs).not.toEqual([]);
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
  await untilEnded(runtime.runs, run);
  expect((await runtime.runs.describe(run))?.status).toBe('completed');
  await worker.close();
});

it('queues work again whose job is in none of the lists of its queue', async () => {
  const run = await runtime.runs.start({ workflow: workflowOf(chain, vocabulary), input: 'x' });
  await loseJobs('wait');
  const worker = startWorker({ runtime, vocabulary, concurrency: 1, name: 'w', log: pino({ level: 'silent' }) });

  expect(await inspect(run)).toMatchObject({ violations: [{ code: 'STALLED', subject: 'a1' }] });
  // Its wake is overdue.
  await runtime.store.repairAgenda({ missing: await runtime.store.agenda(), needless: [] });
  runtime.startCaretaker();

  await untilEnded(runtime.runs, run);
  expect((await runtime.runs.describe(run))?.status).toBe('completed');
  await worker.close();
});

it('leaves jobs alone that are waiting, prioritized or active', async () => {
  const workflow = workflowOf(chain, vocabulary);
  await runtime.runs.start({ workflow, input: 'x', priority: 7 });
  await runtime.runs.start({ workflow, input: 'x' });
  const wakes = (await runtime.store.agenda()).flatMap((due) => ('activation' in due ? [due] : []));
  const connection = connect(redis.url, 'test');
  const jobs = async () => (await connection.keys('*:jobs:*')).sort();
  const before = await jobs();

  await runtime.queue.requeue(wakes);
  const whileWaiting = await jobs();
  const seen: string[] = [];
  const consumer = runtime.queue.consume(
    async (wake) => {
      // One is active now, and the other one waits; later, the first one would be added again.
      if (seen.length === 0) await runtime.queue.requeue(wakes);
      seen.push(wake.run);
    },
    { concurrency: 1, name: 'test' },
  );
  await waitUntil(() => seen.length === 2);
  await consumer.close();
  connection.disconnect();

  expect(whileWaiting).toEqual(before);
  expect(new Set(seen)).toEqual(new Set(wakes.map(({ run }) => run)));
});

it('reads the agenda once for any number of runs', async () => {
  const workflow = workflowOf(human, vocabulary);
  const runs = await Promise.all(Array.from({ length: 3 }, () => runtime.runs.start({ workflow, input: 'x' })));
  const agenda = await readAgenda(runtime.store);
  const store = { ...runtime.store, agenda: () => Promise.reject(new Error('It was read before.')) };

  for (const run of runs)
    expect(await inspectRun(run, { store, vocabulary, agenda })).toEqual({
      type: 'inspected',
      violations: [],
      mended: 0,
    });
});

it('accepts a run whose work waits in a queue, or that waits for a person', async () => {
  const queued = await runtime.runs.start({ workflow: workflowOf(chain, vocabulary), input: 'x' });
  expect(await inspect(queued)).toEqual({ type: 'inspected', violations: [], mended: 0 });

  const worker = startWorker({ runtime, vocabulary, concurrency: 1, name: 'w', log: pino({ level: 'silent' }) });
  const asking = await runtime.runs.start({ workflow: workflowOf(human, vocabulary), input: 'x' });
  await untilEntry(runtime.runs, asking, ({ event }) => event.type === 'activation.suspended');
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
