import { createVocabulary } from '@millrace/catalog';
import type { JournalEntry, QuestionPlace, Workflow } from '@millrace/core';
import { defaultTenant, questionOf, readWorkflow, textMessage } from '@millrace/core';
import type { Runtime } from '@millrace/runtime';
import { createTenantRuntime, openRuntime } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { openStage } from '../../support/runs/stage.ts';

const vocabulary = createVocabulary();
const asks = readWorkflow(
  {
    file: 'asks.yaml',
    text: `
graph:
  id: asks
  start: [First]
  nodes:
    - {id: First, type: human, config: {}}
    - {id: Second, type: human, config: {}}
  edges:
    - {from: First, to: Second}
`,
  },
  { vocabulary, mode: 'run' },
).workflow as Workflow; // the text above is valid
const log = pino({ level: 'silent' });
const reply = (text: string) => textMessage('user', text, 'person');

const server = openBeforeAll(startRedis);
let redis: Redis;
let here: Runtime;
let there: Runtime;
beforeAll(async () => {
  redis = new Redis(server.url);
});
beforeEach(async () => {
  await redis.flushall();
  const report = (message: string, error: unknown) => process.stderr.write(`${message}: ${String(error)}\n`);
  [here, there] = await Promise.all([
    openRuntime({ redisUrl: server.url }, vocabulary, report),
    openRuntime({ redisUrl: server.url }, vocabulary, report),
  ]);
});
afterEach(async () => {
  await Promise.all([here.close(), there.close()]);
});
afterAll(async () => {
  redis.disconnect();
});

/** Returns how often a command has been executed, within scripts or not. */
async function callsOf(command: string): Promise<number> {
  const stats = await redis.info('commandstats');
  return Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(stats)?.[1] ?? 0);
}

/** Returns a function that waits for the next question in a journal and returns its activation. */
function questionsOf(journal: AsyncIterable<JournalEntry>): () => Promise<QuestionPlace> {
  const entries = journal[Symbol.asyncIterator]();
  return async () => {
    for (;;) {
      const { value, done } = await entries.next();
      if (done) throw new Error('the journal ended without a question');
      if (value.event.type === 'activation.suspended') return questionOf(value.event);
    }
  };
}

it('starts a run of a stored workflow without a read before its commit', async () => {
  await here.runs.start({ workflow: asks, input: 'one' });

  const before = { page: await callsOf('zrangebylex'), exists: await callsOf('exists') };
  await here.runs.start({ workflow: asks, input: 'two' });

  expect(await callsOf('zrangebylex')).toBe(before.page);
  // One of the commit, for the keys that must exist and those that must not, and BullMQ's for the job.
  expect((await callsOf('exists')) - before.exists).toBe(2);
});

it('queues the first activation of a run without waiting until its start is confirmed', async () => {
  const { commit } = here.store;
  let confirm = () => {};
  const confirmed = new Promise<void>((resolve) => {
    confirm = resolve;
  });
  Object.assign(here.store, {
    commit: async (made: Parameters<typeof commit>[0]) => {
      const result = await commit(made);
      await confirmed;
      return result;
    },
  });

  const starting = here.runs.start({ workflow: asks, input: 'one' });

  await expect.poll(() => here.queue.loads()).toMatchObject([{ waiting: 1 }]);
  confirm();
  await starting;
});

it('drops the wake of a start that was refused because its workflow was lost', async () => {
  const first = await here.runs.start({ workflow: asks, input: 'one' });
  const hash = (await here.runs.describe(first))?.plan ?? '';
  await redis.del(`{millrace}:plan:${hash}`);
  const run = await here.runs.start({ workflow: asks, input: 'two' });
  expect(await here.queue.loads()).toMatchObject([{ waiting: 3 }]);

  const worker = startWorker({ runtime: there, vocabulary, concurrency: 1, name: 'worker', log });

  await expect.poll(() => here.queue.loads()).toMatchObject([{ waiting: 0, active: 0 }]);
  expect((await here.runs.describe(run))?.activations).toBe(1);
  expect(await here.runs.tasks(run)).toHaveLength(1);
  await worker.close();
});

it('stores the workflow again when Redis has lost it', async () => {
  const first = await here.runs.start({ workflow: asks, input: 'one' });
  const hash = (await here.runs.describe(first))?.plan ?? '';
  const key = `{millrace}:plan:${hash}`;
  expect(await redis.del(key)).toBe(1);

  const run = await here.runs.start({ workflow: asks, input: 'two', definition: { yaml: 'graph: {}' } });

  expect(await redis.exists(key)).toBe(1);
  expect(await here.runs.describe(run)).toMatchObject({ status: 'running' });
});

it('knows the webhooks that another process makes and removes between two starts', async () => {
  const origin = async () => {
    const run = await here.runs.start({ workflow: asks, input: 'go' });
    return (await here.runs.refresh(run))?.state.get('origin');
  };
  expect(await origin()).not.toHaveProperty('told');
  const { webhooks } = createTenantRuntime(there, defaultTenant);
  const webhook = await webhooks.create({ url: 'https://example.com/', events: [] }, () => 'sealed');
  expect(await origin()).toHaveProperty('told', true);
  expect(await origin()).toHaveProperty('told', true);

  await webhooks.remove(webhook.id);

  expect(await origin()).not.toHaveProperty('told');
});

it('answers a question that another process has asked meanwhile', async () => {
  const stage = await openStage({ where: { redisUrl: server.url } });
  const run = await here.runs.start({ workflow: asks, input: 'go' });
  const next = questionsOf(here.runs.watch(run, '0', AbortSignal.timeout(60_000)));
  const first = await next();
  await here.runs.answer(run, first, { message: reply('from here') });
  const second = await next();

  await there.runs.answer(run, second, { message: reply('from there') });

  await expect(here.runs.answer(run, second, { message: reply('late') })).rejects.toMatchObject({
    code: expect.any(String),
  });
  await stage.close();
});

it('pauses a run that another process has resumed since this one paused it', async () => {
  const run = await here.runs.start({ workflow: asks, input: 'go' });
  await here.runs.control(run, 'pause');
  await there.runs.resume(run);

  await here.runs.control(run, 'pause');

  expect(await there.runs.describe(run)).toMatchObject({ status: 'paused' });
});

it('refuses a command by the present state of a run, not by the one in memory', async () => {
  const run = await here.runs.start({ workflow: asks, input: 'go' });
  await here.runs.control(run, 'pause');
  await there.runs.cancel(run, 'no longer needed');

  await expect(here.runs.control(run, 'pause')).rejects.toMatchObject({ code: expect.any(String) });
});
