import { join } from 'node:path';
import { createVocabulary } from '@millrace/catalog';
import type { RunDescription } from '@millrace/runtime';
import { openRuntime } from '@millrace/runtime';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeEach } from '../support/fixtures.ts';
import type { WorkerProcess } from '../support/processes/worker-process.ts';
import { startWorkerProcess } from '../support/processes/worker-process.ts';
import { startRedis } from '../support/redis/redis.ts';
import { workflowIn } from '../support/runs/stage.ts';
import { endedRun, entriesOf } from '../support/runs/watching.ts';
import { waitFor } from '../support/waiting.ts';

/** Functions that end their process, with as little ceremony as a process without memory. */
const extension = `
import { setTimeout as sleep } from 'node:timers/promises';
const end = () => process.kill(process.pid, 'SIGKILL');
export const extensions = {
  conditions: new Map([['ends_the_worker', () => { end(); return true; }]]),
  processors: new Map([
    ['takes_seconds', async (text) => { await sleep(1500); return text; }],
    ['ends_the_worker_later', async (text) => { await sleep(300); end(); return text; }],
  ]),
};
`;

const folder = directoryBeforeAll({ 'extensions.mjs': extension });
const redis = openBeforeEach(startRedis);
const runtime = openBeforeEach(() => openRuntime({ redisUrl: redis.url }, vocabulary, () => undefined));
const workers: WorkerProcess[] = [];
const vocabulary = createVocabulary({
  conditions: new Map([['ends_the_worker', () => true]]),
  processors: new Map([
    ['takes_seconds', (text: string) => text],
    ['ends_the_worker_later', (text: string) => text],
  ]),
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.kill()));
});

async function startWorker(variables: Readonly<Record<string, string>> = {}): Promise<WorkerProcess> {
  const worker = await startWorkerProcess(redis.url, {
    MILLRACE_EXTENSIONS: join(folder, 'extensions.mjs'),
    ...variables,
  });
  workers.push(worker);
  return worker;
}

const workflow = (edge: string, more = '') =>
  workflowIn(
    `graph:
  id: poison
  nodes:
    - { id: Source, type: passthrough, config: {}${more} }
    - { id: Target, type: passthrough, config: {} }
  edges: [{ from: Source, to: Target, ${edge} }]
`,
    vocabulary,
  );
const start = (edge: string, more?: string) => runtime.runs.start({ workflow: workflow(edge, more), input: 'go' });
const innocent = () => start('processor: { type: function, config: { name: takes_seconds } }');

const ended = (run: string): Promise<RunDescription> => endedRun(runtime.runs, run);

/** Waits until a worker has died, which it may do before it says that it works. */
async function death(variables?: Readonly<Record<string, string>>): Promise<void> {
  const worker = await startWorker(variables).catch(() => undefined);
  await worker?.exited;
  if (worker !== undefined) workers.splice(workers.indexOf(worker), 1);
}

describe('a run that ends its workers', () => {
  it.each([
    [
      'in a condition, before anybody knows that it was begun',
      'condition: { type: function, config: { name: ends_the_worker } }',
    ],
    ['later', 'processor: { type: function, config: { name: ends_the_worker_later } }'],
  ])('fails with a code after three of them, and those beside it complete: %s', async (_when, edge) => {
    const poison = await start(edge, ', on_error: continue');
    const others = await Promise.all([innocent(), innocent(), innocent()]);

    for (let deaths = 0; deaths < 3; deaths++) await death();
    const last = await startWorker();
    let isAlive = true;
    void last.exited.then(() => {
      isAlive = false;
    });

    expect(await ended(poison)).toMatchObject({ status: 'failed', error: { code: 'WORKER_DIED', node: 'Source' } });
    for (const other of others) expect(await ended(other)).toMatchObject({ status: 'completed' });
    expect(isAlive).toBe(true);
  });

  it('fails after as many deaths as the operator says, and begins anew when it is resumed', async () => {
    const variables = { MILLRACE_MAX_WORKER_DEATHS: '1' };
    const poison = await start('condition: { type: function, config: { name: ends_the_worker } }');
    await death(variables);
    const last = await startWorker(variables);
    const failed = await ended(poison);
    await runtime.runs.control(poison, 'retry');
    await last.exited;
    await startWorker(variables);
    const seen = runtime.runs.watch(poison, failed?.seen ?? '0', AbortSignal.timeout(60_000));
    for await (const { event } of seen) void event;

    expect(failed).toMatchObject({ status: 'failed', error: { code: 'WORKER_DIED' } });
    expect(await runtime.runs.describe(poison)).toMatchObject({ status: 'failed', error: { code: 'WORKER_DIED' } });
  });
});

/** Waits until no job of the queue has a lock. */
async function locksExpired(): Promise<void> {
  const connection = new Redis(redis.url);
  await waitFor(async () => expect(await connection.keys('*:lock')).toEqual([]));
  connection.disconnect();
}

describe('a worker that lives and has lost its lock', () => {
  const variables = { MILLRACE_MAX_WORKER_DEATHS: '1' };

  async function begun(run: string, worker: WorkerProcess): Promise<void> {
    for await (const { event } of entriesOf(runtime.runs, run)) {
      if (event.type === 'activation.started' && event.worker === worker.name) return;
    }
  }

  it('does not count when it takes its own job over', async () => {
    const run = await innocent();
    const worker = await startWorker(variables);
    await begun(run, worker);
    worker.freeze();
    await locksExpired();
    worker.thaw();

    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  it('does not count when Redis was away', async () => {
    const run = await innocent();
    const worker = await startWorker(variables);
    await begun(run, worker);
    await redis.kill();
    await redis.restart();

    await waitFor(async () => expect(await runtime.runs.describe(run)).toMatchObject({ status: 'completed' }));
  });
});
