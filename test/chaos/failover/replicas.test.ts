import { createVocabulary } from '@millrace/catalog';
import { defineTool } from '@millrace/core';
import { openRuntime } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { freePort } from '../../support/redis/free-port.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { tellRedis } from '../../support/redis/tell-redis.ts';
import { workflowOf } from '../../support/runs/scenario.ts';
import { chain } from '../../support/runs/scenarios.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { waitUntil } from '../../support/waiting.ts';

const vocabulary = createVocabulary();

const cashier = `
graph:
  id: paying
  nodes:
    - id: Cashier
      type: agent
      config:
        provider: scripted
        name: m
        params:
          default: { tool_calls: [{ name: pay, arguments: {} }] }
          rules: [{ when: { last_role: tool }, reply: { text: 'told: {last}' } }]
        tooling:
          - { type: function, config: { tools: [{ name: pay }] } }
`;

/** A master, and a server that becomes its replica when the test says so. */
async function openPair() {
  const port = await freePort();
  const sync = ['--repl-diskless-sync-delay', '0'];
  const master = await startRedis(['--port', String(port), '--bind', '127.0.0.1', ...sync]);
  onTestFinished(() => master.stop());
  const replica = await startRedis(sync);
  onTestFinished(() => replica.stop());
  return { master, replica, replicate: () => tellRedis(replica.url, 'REPLICAOF', '127.0.0.1', port) };
}

it('refuses starts that no replica confirms, which are found when they are repeated with a replica', async () => {
  const { master, replica, replicate } = await openPair();
  const { runs, close } = await openRuntime({ redisUrl: master.url, replicas: 1 }, vocabulary, () => undefined);
  onTestFinished(() => close());
  const workflow = workflowOf(chain, vocabulary);
  const ids = Array.from({ length: 20 }, (_, n) => `run_${n}`);
  const startAll = () => Promise.allSettled(ids.map((run) => runs.start({ workflow, input: 'Go.', run })));

  const began = performance.now();
  const refused = await startAll();
  const refusedMs = performance.now() - began;
  const stored = await Promise.all(ids.map((run) => runs.describe(run)));
  const refusedAgain = await startAll();
  await replicate();
  await waitUntil(async () => String(await tellRedis(master.url, 'INFO', 'replication')).includes('state=online'));
  const repeated = await startAll();
  const fresh = await runs.start({ workflow, input: 'Go.' });

  for (const outcome of [...refused, ...refusedAgain]) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'REDIS_NO_REPLICAS' } });
  }
  // Those that come together share a wait of a second.
  expect(refusedMs).toBeLessThan(6000);
  expect(stored).not.toContain(undefined);
  expect(repeated.map(({ status }) => status)).toEqual(ids.map(() => 'fulfilled'));
  expect(await tellRedis(replica.url, 'EXISTS', `{millrace}:run:${fresh}:records`)).toBe(1);
});

it('refuses a start that no replica confirms, although the connection breaks meanwhile and a worker has completed the run', async () => {
  const master = await startRedis();
  onTestFinished(() => master.stop());
  const runtime = await openRuntime({ redisUrl: master.url, replicas: 1 }, vocabulary, () => undefined);
  onTestFinished(() => runtime.close());
  const other = await openRuntime({ redisUrl: master.url }, vocabulary, () => undefined);
  onTestFinished(() => other.close());
  const worker = startWorker({ runtime: other, vocabulary, concurrency: 1, name: 'w', log: pino({ level: 'silent' }) });
  onTestFinished(() => worker.close());

  const starting = runtime.runs.start({ workflow: workflowOf(chain, vocabulary), input: 'Go.', run: 'run_1' });
  const outcome = starting.then(
    () => 'acknowledged',
    (error: unknown) => error,
  );
  await waitUntil(async () => (await other.runs.describe('run_1'))?.status === 'completed');
  // The start waits for a second.
  await tellRedis(master.url, 'CLIENT', 'KILL', 'TYPE', 'normal');

  expect(await outcome).toMatchObject({ code: 'REDIS_NO_REPLICAS' });
});

it('makes a call that must not be made twice when a replica has that it was begun', async () => {
  const { master, replicate } = await openPair();
  let paid = 0;
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({}),
    effect: 'once',
    execute: () => `paid ${++paid}`,
  });
  const paying = createVocabulary({ tools: [pay] });
  // Only what the worker waits for needs a replica.
  const other = await openRuntime({ redisUrl: master.url }, paying, () => undefined);
  onTestFinished(() => other.close());
  const runtime = await openRuntime({ redisUrl: master.url, replicas: 1 }, paying, () => undefined);
  onTestFinished(() => runtime.close());
  const worker = startWorker({
    runtime,
    vocabulary: paying,
    concurrency: 1,
    name: 'w',
    log: pino({ level: 'silent' }),
  });
  onTestFinished(() => worker.close());
  const run = await other.runs.start({ workflow: workflowIn(cashier, paying), input: 'Pay.' });
  /** Waits that have ended without a replica: the worker has asked more than once. */
  const waits = async () =>
    Number(/cmdstat_wait:calls=(\d+)/.exec(String(await tellRedis(master.url, 'INFO', 'commandstats')))?.[1]);

  await waitUntil(async () => (await waits()) > 2);
  const paidBefore = paid;
  // The run is not held up by the call that waits.
  await runtime.runs.control(run, 'pause');
  await runtime.runs.resume(run);
  await replicate();
  await waitUntil(async () => (await other.runs.describe(run))?.status === 'completed');

  expect([paidBefore, paid]).toEqual([0, 1]);
  expect(await other.runs.describe(run)).toMatchObject({ outputs: { Cashier: 'told: paid 1' } });
  const events = (await other.store.journal(run, '0', 100)).map(({ event }) => event.type);
  expect(events).not.toContain('step.unknown');
});
