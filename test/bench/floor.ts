import { FlowProducer, Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';

/*
 * What hand-written BullMQ takes for the same work: no state, no journal, no recovery. It is the floor that the engine
 * is measured against, on the same Redis and in the same minute.
 */

const prefix = '{floor}';
const once = { removeOnComplete: true, removeOnFail: true };

/** Milliseconds for `chains` chains of `length` jobs, each of which adds the next. */
export async function floorChains(
  connection: Redis,
  { chains, length, concurrency }: { chains: number; length: number; concurrency: number },
): Promise<number> {
  const queue = new Queue('chain', { connection, prefix });
  const finished = countdown(chains);
  const worker = new Worker<{ at: number }>(
    'chain',
    async ({ data }) => {
      if (data.at + 1 < length) await queue.add('step', { at: data.at + 1 }, once);
      else finished.one();
    },
    { connection, prefix, concurrency },
  );
  await worker.waitUntilReady();
  const started = performance.now();
  await queue.addBulk(Array.from({ length: chains }, () => ({ name: 'step', data: { at: 0 }, opts: once })));
  await finished.all;
  const took = performance.now() - started;
  await worker.close();
  await queue.close();
  return took;
}

/** Milliseconds for a fan-out of `units` jobs that a parent waits for, as BullMQ's flows do it. */
export async function floorFanOut(
  connection: Redis,
  { units, concurrency }: { units: number; concurrency: number },
): Promise<number> {
  const flows = new FlowProducer({ connection, prefix });
  const finished = countdown(1);
  const children = new Worker('unit', async () => {}, { connection, prefix, concurrency });
  const parents = new Worker('join', async () => finished.one(), { connection, prefix });
  await Promise.all([children.waitUntilReady(), parents.waitUntilReady()]);
  const started = performance.now();
  await flows.add({
    name: 'join',
    queueName: 'join',
    opts: once,
    children: Array.from({ length: units }, (_, at) => ({ name: 'unit', queueName: 'unit', data: { at }, opts: once })),
  });
  await finished.all;
  const took = performance.now() - started;
  await Promise.all([children.close(), parents.close(), flows.close()]);
  return took;
}

function countdown(count: number): { readonly all: Promise<void>; one(): void } {
  let left = count;
  let resolve = () => {};
  const all = new Promise<void>((done) => {
    resolve = done;
  });
  return {
    all,
    one() {
      left--;
      if (left === 0) resolve();
    },
  };
}
