import { randomUUID } from 'node:crypto';
import { createVocabulary } from '@millrace/catalog';
import type { Runtime } from '@millrace/runtime';
import { openRuntime } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { newInstallation } from '../../support/redis/installation.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { entriesOf } from '../../support/runs/watching.ts';

const vocabulary = createVocabulary();
const log = pino({ level: 'silent' });
const minutes = 60_000;

const installation = newInstallation();

/** A worker that takes the time for another one than it is. */
async function skewedWorker(where: { readonly redisUrl: string; readonly prefix: string }, aheadMs: number) {
  const runtime: Runtime = await openRuntime(where, vocabulary, () => undefined);
  const { store } = runtime;
  const now = store.now;
  Object.assign(store, { now: () => now() + aheadMs });
  const worker = startWorker({ runtime, vocabulary, concurrency: 1, name: `worker${aheadMs}`, log });
  return {
    runtime,
    async close() {
      await worker.close();
      await runtime.close();
    },
  };
}

it('never commits a time before the last one, whatever the clocks of workers show', async () => {
  const where = { redisUrl: installation.url, prefix: `{times-${randomUUID()}}` };
  const workers = await Promise.all([10 * minutes, 0, -10 * minutes].map((ms) => skewedWorker(where, ms)));
  const [first] = workers;
  if (first === undefined) throw new Error('no worker was started');
  const units = Array.from({ length: 40 }, (_, n) => n).join(', ');
  const yaml = `graph:
  id: times
  start: [List]
  end: [Say]
  nodes:
    - { id: List, type: literal, config: { content: '[${units}]' } }
    - { id: Say, type: agent, config: { provider: scripted, name: m, params: { default: { text: said, delay_ms: 5 } } } }
  edges: [{ from: List, to: Say, dynamic: { type: map, split: { type: json_array }, config: { max_parallel: 3 } } }]
`;
  const run = await first.runtime.runs.start({ workflow: workflowIn(yaml, vocabulary), input: '' });
  const times: number[] = [];
  for await (const { at } of entriesOf(first.runtime.runs, run)) {
    times.push(at);
  }
  for (const worker of workers) await worker.close();

  expect(times.length).toBeGreaterThan(80);
  expect(times).toEqual([...times].sort((a, b) => a - b));
});
