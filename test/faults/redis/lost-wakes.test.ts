import { createVocabulary } from '@millrace/catalog';
import type { Queue } from '@millrace/runtime';
import {
  connect,
  createBullQueue,
  createLocalRates,
  createMemoryBlobs,
  createRedisStore,
  createRuns,
  createShard,
  startCaretaker,
} from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { newInstallation } from '../../support/redis/installation.ts';
import { audit } from '../../support/runs/audit.ts';
import { driveRun, resultOf, resultWithoutFaults, workflowOf } from '../../support/runs/scenario.ts';
import { map } from '../../support/runs/scenarios.ts';

const vocabulary = createVocabulary();
const report = () => undefined;

/** As if the process died each time between its commit and its wakes. */
const losing = (queue: Queue): Queue => ({ ...queue, wake: async () => undefined });

it('finishes a run all of whose wakes are lost', async () => {
  const { url, prefix } = newInstallation();
  const connection = connect(url, 'test');
  const store = createRedisStore({ shard: createShard(connection, prefix), graceMs: 200 });
  const queue = createBullQueue({ shard: createShard(connection, prefix), onError: report });
  const runs = createRuns({
    rates: createLocalRates(store.now),
    store,
    blobs: createMemoryBlobs(),
    queue: losing(queue),
    vocabulary,
    report,
  });
  startWorker({ runtime: { runs, queue }, vocabulary, concurrency: 4, name: 'w', log: pino({ level: 'silent' }) });
  const run = await runs.start({ workflow: workflowOf(map, vocabulary), input: map.input });

  const caretaker = startCaretaker({ store, queue, runs, everyMs: 50, againMs: 200, report });

  expect(resultOf(await driveRun(runs, run, map))).toEqual(await resultWithoutFaults(map, vocabulary));
  expect(await audit(store, run, vocabulary)).toEqual([]);
  await caretaker.close();
  await queue.close();
  await store.close();
  connection.disconnect();
});
