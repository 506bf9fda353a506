import { randomUUID } from 'node:crypto';
import { createVocabulary } from '@millrace/catalog';
import type { RunId, Workflow } from '@millrace/core';
import type { Runtime } from '@millrace/runtime';
import { connect, openRuntime } from '@millrace/runtime';
import type { RunningWorker } from '@millrace/worker';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { waitUntil } from '../../support/waiting.ts';

const units = 1000;
/** Two workers, and so many activations at a time in each. */
const concurrency = 4;

/** Names of completed pieces of work, in order; and the current and the highest number of concurrent ones. */
const done: string[] = [];
let atOnce = 0;
let mostAtOnce = 0;
const note = async (name: string): Promise<true> => {
  atOnce++;
  mostAtOnce = Math.max(mostAtOnce, atOnce);
  await new Promise(setImmediate);
  atOnce--;
  done.push(name);
  return true;
};
/** Units that do not end before they are let go. */
let held = 0;
let letGo = (): void => undefined;
const letting = new Promise<void>((resolve) => {
  letGo = resolve;
});
const hold = async (): Promise<true> => {
  held++;
  await letting;
  return true;
};
const vocabulary = createVocabulary({
  conditions: new Map([
    ['unit', () => note('unit')],
    ['step', () => note('step')],
    ['hold', hold],
  ]),
});

const map = (id: string, count: number, condition = 'unit'): Workflow =>
  workflowIn(
    `
graph:
  id: ${id}
  start: [List]
  end: [Join]
  nodes:
    - { id: List, type: literal, config: { content: ${JSON.stringify(Array.from({ length: count }, (_, at) => `unit ${at}`).join('\n'))} } }
    - { id: Unit, type: passthrough, config: {} }
    - { id: Join, type: passthrough, config: { only_last_message: false } }
  edges:
    - { from: List, to: Unit, dynamic: { type: map, config: { split_type: lines, max_parallel: ${count} } } }
    - { from: Unit, to: Join, condition: ${condition} }
`,
    vocabulary,
  );
const step = (): Workflow =>
  workflowIn(
    `
graph:
  id: step
  nodes:
    - { id: Step, type: literal, config: { content: here } }
    - { id: End, type: passthrough, config: {} }
  edges: [{ from: Step, to: End, condition: step }]
`,
    vocabulary,
  );

/** A chain of nodes; each edge notes a piece of work if it has a condition. */
function chain(length: number, condition?: string): Workflow {
  const ids = Array.from({ length }, (_, at) => `n${at}`);
  const nodes = ids.map((id) => `    - { id: ${id}, type: passthrough, config: {} }`).join('\n');
  const noting = condition === undefined ? '' : `, condition: ${condition}`;
  const edges = ids
    .slice(1)
    .map((id, at) => `    - { from: n${at}, to: ${id}${noting} }`)
    .join('\n');
  return workflowIn(`graph:\n  id: chain\n  start: [n0]\n  nodes:\n${nodes}\n  edges:\n${edges}\n`, vocabulary);
}

// Another machine may be slower, or busy.
vi.setConfig({ testTimeout: 90_000 });

const redis = openBeforeAll(startRedis);
const connection = openBeforeAll(() => connect(redis.url, 'test'));
let prefix: string;
let one: Runtime;
let two: Runtime;
let workers: RunningWorker[];
let close: () => Promise<void>;
beforeEach(async () => {
  done.length = 0;
  mostAtOnce = 0;
  prefix = `{fair-${randomUUID()}}`;
  const open = () => openRuntime({ redisUrl: redis.url, prefix }, vocabulary, () => undefined);
  [one, two] = [await open(), await open()];
  workers = [one, two].map((runtime) => startWith(runtime, concurrency));
  close = async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    await Promise.all([one.close(), two.close()]);
  };
});
afterEach(() => close());

const startWith = (runtime: Runtime, concurrency: number): RunningWorker =>
  startWorker({ runtime, vocabulary, concurrency, name: 'worker', log: pino({ level: 'silent' }) });
const isOver = async (run: RunId): Promise<boolean> => (await one.runs.describe(run))?.status === 'completed';
const waitingOutside = (tenant: string) => connection.zcard(`${prefix}:v4:share:${tenant}:lane:/`);

it.each([
  ['another tenant', 'quick'],
  ['the same tenant', 'busy'],
])('admits the single step of %s in the middle of a map of 1,000 units', async (_whose, tenant) => {
  const busy = await one.runs.start({ workflow: map('busy', units), input: '', tenant: 'busy' });
  await waitUntil(() => done.length > 100);
  const before = done.length;

  await two.runs.start({ workflow: step(), input: '', tenant });
  await waitUntil(() => done.includes('step'));

  const between = done.indexOf('step') - before;
  // Of nearly 1,000 that were ready before it.
  expect(between).toBeLessThan(units / 5);
  await waitUntil(() => isOver(busy));
  expect(done.filter((name) => name === 'unit')).toHaveLength(units);
  await waitUntil(async () => (await waitingOutside('busy')) === 0);
});

it('gives a tenant all workers while no other needs them, and leaves no counts behind', async () => {
  const run = await one.runs.start({ workflow: map('busy', 500), input: '', tenant: 'busy' });

  await waitUntil(() => isOver(run));
  await waitUntil(async () => (await connection.hlen(`${prefix}:v4:share:slots`)) === 0);

  expect(mostAtOnce).toBeGreaterThan(concurrency);
  expect(await connection.keys(`${prefix.replace('{', '\\{')}:v4:share:busy:*`)).toEqual([]);
});

it('fills all workers with long units before one of them ends', async () => {
  const concurrency = 100;
  workers.push(startWith(one, concurrency));

  const run = await one.runs.start({ workflow: map('busy', 300, 'hold'), input: '', tenant: 'busy' });
  await waitUntil(() => held >= concurrency);

  letGo();
  await waitUntil(() => isOver(run));
});

it('recovers from wrong counts of dead processes', async () => {
  await connection.hset(`${prefix}:v4:share:slots`, 'busy', 1_000_000);
  one.startCaretaker();

  const run = await two.runs.start({ workflow: map('busy', 300), input: '', tenant: 'busy' });
  await waitUntil(() => isOver(run));
  const slots = await connection.hget(`${prefix}:v4:share:slots`, 'busy');

  expect(Number(slots ?? 0)).toBeLessThan(1000);
});

it('sends no additional request to Redis for a sequential run', async () => {
  const calls = async (): Promise<number> => {
    const info = await connection.info('commandstats');
    return [...info.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const costOf = async (length: number): Promise<number> => {
    const before = await calls();
    const run = await one.runs.start({ workflow: chain(length), input: 'go' });
    await waitUntil(() => isOver(run));
    return (await calls()) - before;
  };
  await Promise.all(workers.map((worker) => worker.close()));
  // One at a time, so that no other worker looks for work in between.
  workers = [startWith(one, 1)];
  await costOf(10);

  // The commit, the wake, and BullMQ's end of the job, which fetches the next one. Locks are renewed now and then.
  expect(((await costOf(120)) - (await costOf(20))) / 100).toBeLessThan(3.2);
});

it('starts a new run in the middle of runs that continue step by step', async () => {
  const chains = 5;
  await Promise.all(workers.map((worker) => worker.close()));
  workers = [startWith(one, 1)];
  const busy = await Promise.all(
    Array.from({ length: chains }, () => one.runs.start({ workflow: chain(200, 'unit'), input: 'go' })),
  );
  await waitUntil(() => done.length > 100);
  const before = done.length;

  await two.runs.start({ workflow: step(), input: '' });
  await waitUntil(() => done.includes('step'));

  // Each of the others may be in the middle of a streak of 32, and begin one while this run waits for its turn.
  expect(done.indexOf('step') - before).toBeLessThan(chains * 2 * 33);
  for (const run of busy) await waitUntil(() => isOver(run));
});

it('keeps a run that continues step by step with its worker', async () => {
  const length = 50;
  const runs = 20;
  const readings = async (): Promise<number> => {
    const info = await connection.info('commandstats');
    return Number(/cmdstat_xrange:calls=(\d+)/.exec(info)?.[1] ?? 0);
  };
  const before = await readings();

  const started = await Promise.all(
    Array.from({ length: runs }, () => one.runs.start({ workflow: chain(length), input: 'go' })),
  );
  for (const run of started) await waitUntil(() => isOver(run));

  // A process that has not made the last commit of a run reads what it missed: every second time, were it left to chance.
  expect(((await readings()) - before) / (runs * length)).toBeLessThan(0.3);
});

it.each([
  ['a tenant', { tenant: 'busy', activations: 2 }],
  ['a workflow', { tenant: 'busy', workflow: 'busy', activations: 2 }],
])('never executes more activations of %s at a time than its limit', async (_whose, limit) => {
  await one.limits.set(limit);
  // As caretakers do every second.
  await Promise.all([one.queue.reconcile(), two.queue.reconcile()]);
  const others = await one.runs.start({ workflow: map('free', 200), input: '', tenant: 'free' });
  await waitUntil(() => isOver(others));
  expect(mostAtOnce).toBeGreaterThan(2);
  mostAtOnce = 0;

  const run = await one.runs.start({ workflow: map('busy', 200), input: '', tenant: 'busy' });
  await waitUntil(() => isOver(run));

  expect(mostAtOnce).toBeLessThanOrEqual(2);
  expect(await one.limits.list()).toEqual([limit]);
  expect(await one.limits.lift(limit)).toBe(true);
  expect(await one.limits.list()).toEqual([]);
});

it('keeps a limit that is set while another one of the tenant is removed', async () => {
  const tenants = Array.from({ length: 100 }, (_, at) => `t${at}`);
  const limits = tenants.map((tenant) => ({ tenant, workflow: 'kept', activations: 2 }));
  await Promise.all(tenants.map((tenant) => one.limits.set({ tenant, workflow: 'lifted', activations: 1 })));

  await Promise.all(
    limits.flatMap((limit, at) => {
      const [lifting, setting] = at % 2 === 0 ? [one, two] : [two, one];
      const lift = () => lifting.limits.lift({ tenant: limit.tenant, workflow: 'lifted' });
      return [lift(), setting.limits.set(limit)];
    }),
  );

  const byTenant = (a: { tenant: string }, b: { tenant: string }) => (a.tenant < b.tenant ? -1 : 1);
  expect(await one.limits.list()).toEqual(limits.toSorted(byTenant));
});
