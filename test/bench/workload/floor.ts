import type { JobsOptions } from 'bullmq';
import { FlowProducer, Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Cost } from '../cost.ts';
import { costOf } from '../cost.ts';
import { countdown } from './countdown.ts';

/*
 * Cost of the same work in hand-written BullMQ, without state, journal and recovery. It is the floor that the engine
 * is measured against, on the same Redis and in the same minute.
 */

const prefix = '{floor}';
const once = { removeOnComplete: true, removeOnFail: true } satisfies JobsOptions;
const aDayMs = 86_400_000;

/** So many chains of so many jobs, each of which adds the next. */
export interface Chains {
  readonly chains: number;
  readonly length: number;
}

interface Link {
  readonly at: number;
  readonly length: number;
}

interface ChainWork {
  readonly concurrency: number;
  /** Called at the end of each chain. */
  readonly ended: () => void;
  /** Work of each job; default: none. */
  readonly work?: (() => Promise<unknown>) | undefined;
}

/** Works on chains in this process until it is closed. */
export async function workOnChains(
  connection: Redis,
  { concurrency, ended, work }: ChainWork,
): Promise<{ close(): Promise<void> }> {
  const queue = new Queue<Link>('chain', { connection, prefix });
  const worker = new Worker<Link>(
    'chain',
    async ({ data: { at, length } }) => {
      if (work !== undefined) await work();
      if (at + 1 < length) await queue.add('step', { at: at + 1, length }, once);
      else ended();
    },
    { connection, prefix, concurrency },
  );
  await worker.waitUntilReady();
  return {
    async close() {
      await worker.close();
      await queue.close();
    },
  };
}

/** Adds the first job of each chain. */
export async function startChains(connection: Redis, { chains, length }: Chains): Promise<void> {
  const queue = new Queue<Link>('chain', { connection, prefix });
  await queue.addBulk(Array.from({ length: chains }, () => ({ name: 'step', data: { at: 0, length }, opts: once })));
  await queue.close();
}

/** Cost of chains of jobs that are worked on in this process, all at once; each job does this work, or none. */
export async function floorChains(
  connection: Redis,
  { chains, length, work }: Chains & { readonly work?: () => Promise<unknown> },
): Promise<Cost> {
  const finished = countdown(chains);
  const worker = await workOnChains(connection, { concurrency: chains, ended: finished.one, work });
  const cost = await costOf(connection, async () => {
    const started = performance.now();
    await startChains(connection, { chains, length });
    await finished.all;
    return performance.now() - started;
  });
  await worker.close();
  return cost;
}

/** Cost of a fan-out of `units` jobs that a parent waits for, as BullMQ's flows do it. */
export async function floorFanOut(
  connection: Redis,
  { units, concurrency }: { readonly units: number; readonly concurrency: number },
): Promise<Cost> {
  const flows = new FlowProducer({ connection, prefix });
  const finished = countdown(1);
  const children = new Worker('unit', async () => {}, { connection, prefix, concurrency });
  const parents = new Worker('join', async () => finished.one(), { connection, prefix });
  await Promise.all([children.waitUntilReady(), parents.waitUntilReady()]);
  const cost = await costOf(connection, async () => {
    const started = performance.now();
    await flows.add({
      name: 'join',
      queueName: 'join',
      opts: once,
      children: Array.from({ length: units }, (_, at) => ({
        name: 'unit',
        queueName: 'unit',
        data: { at },
        opts: once,
      })),
    });
    await finished.all;
    return performance.now() - started;
  });
  await Promise.all([children.close(), parents.close(), flows.close()]);
  return cost;
}

/**
 * Cost of adding jobs to an idle worker, one after the other; the time of each ends when the worker has it in hand. The
 * worker is idle when it has found the queue empty and waits for the next job.
 */
export async function floorStarts(connection: Redis, starts: number): Promise<Cost> {
  const queue = new Queue('start', { connection, prefix });
  let taken = () => {};
  const worker = new Worker('start', async () => taken(), { connection, prefix });
  await worker.waitUntilReady();
  const cost = await costOf(connection, async () => {
    let took = 0;
    for (let at = 0; at < starts; at++) {
      const hand = new Promise<void>((resolve) => {
        taken = resolve;
      });
      const idle = new Promise<void>((resolve) => void worker.once('drained', resolve));
      const started = performance.now();
      await Promise.all([queue.add('go', { at }, once), hand]);
      took += performance.now() - started;
      await idle;
    }
    return took;
  });
  await worker.close();
  await queue.close();
  return cost;
}

/** Cost of jobs that wait for a person: promoted with the answer as their data, and worked on. */
export async function floorWaits(
  connection: Redis,
  { waits, concurrency }: { readonly waits: number; readonly concurrency: number },
): Promise<Cost> {
  const queue = new Queue('wait', { connection, prefix });
  const finished = countdown(waits);
  const worker = new Worker('wait', async () => finished.one(), { connection, prefix, concurrency });
  await worker.waitUntilReady();
  const opts = { ...once, delay: aDayMs };
  const jobs = await queue.addBulk(Array.from({ length: waits }, (_, at) => ({ name: 'wait', data: { at }, opts })));
  const cost = await costOf(connection, async () => {
    const started = performance.now();
    const answered = jobs.map(async (job) => {
      await job.updateData({ answer: 'ok' });
      await job.promote();
    });
    await Promise.all([...answered, finished.all]);
    return performance.now() - started;
  });
  await worker.close();
  await queue.close();
  return cost;
}
