import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { QueueName } from '@millrace/core';
import type { Queue as BullQueue } from 'bullmq';

/** Status of a queue. */
export interface QueueStatus {
  readonly name: string;
  readonly paused: boolean;
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly workers: number;
  /** Time since which the oldest waiting job waits, in milliseconds since 1970; absent when none waits. */
  readonly oldestAt?: number;
}

/** A worker that is connected to a queue. */
export interface WorkerStatus {
  /** Name in journals: host and process. */
  readonly name: string;
  readonly queue: string;
  readonly address: string;
  readonly connectedSeconds: number;
}

/** Outcome of a probe, a job without work. `busy`: the workers execute other jobs, `idle`: there is no worker. */
export type Probe = 'taken' | 'busy' | 'idle' | 'paused' | 'nobody';

/** Administration of the queues of an installation. */
export interface QueueAdmin {
  statuses(): Promise<readonly QueueStatus[]>;
  workers(): Promise<readonly WorkerStatus[]>;
  /** Pauses the queue in all processes until it is resumed. Returns false when there is no such queue. */
  pause(name: QueueName): Promise<boolean>;
  resume(name: QueueName): Promise<boolean>;
  /** Sends a probe through each queue, ahead of all other jobs, and returns the outcomes. */
  probe(timeoutMs: number): Promise<Readonly<Record<string, Probe>>>;
}

/** A queue of BullMQ, with any content of jobs. */
// biome-ignore lint/suspicious/noExplicitAny: BullMQ's queues are invariant in what their jobs carry, which is not looked at here.
export type AnyQueue = BullQueue<any, any, string>;

/** Name of the job that a probe sends. */
export const probeName = 'probe';

/** Creates the administration of the queues that `open` returns, by their names. */
export function createQueueAdmin(open: () => Promise<ReadonlyMap<QueueName, AnyQueue>>): QueueAdmin {
  const ofEach = async <T>(ask: (name: QueueName, queue: AnyQueue) => Promise<T>): Promise<readonly T[]> =>
    Promise.all([...(await open())].map(([name, queue]) => ask(name, queue)));
  const onQueue = async (name: QueueName, action: (queue: AnyQueue) => Promise<void>): Promise<boolean> => {
    const queue = (await open()).get(name);
    if (queue !== undefined) await action(queue);
    return queue !== undefined;
  };
  return {
    statuses: () => ofEach(statusOf),
    workers: async () => (await ofEach(workersOf)).flat(),
    pause: (name) => onQueue(name, (queue) => queue.pause()),
    resume: (name) => onQueue(name, (queue) => queue.resume()),
    async probe(timeoutMs) {
      return Object.fromEntries(await ofEach(async (name, queue) => [name, await probed(queue, timeoutMs)] as const));
    },
  };
}

async function statusOf(name: QueueName, queue: AnyQueue): Promise<QueueStatus> {
  const [counts, paused, workers, oldest] = await Promise.all([
    queue.getJobCounts('wait', 'prioritized', 'active', 'delayed'),
    queue.isPaused(),
    queue.getWorkersCount(),
    queue.getJobs(['wait', 'prioritized'], 0, 0, true),
  ]);
  const { wait = 0, prioritized = 0, active = 0, delayed = 0 } = counts;
  const times = oldest.flatMap((job) => (job === undefined ? [] : [job.timestamp]));
  return {
    name,
    paused,
    waiting: wait + prioritized,
    active,
    delayed,
    workers,
    ...(times.length === 0 ? {} : { oldestAt: Math.min(...times) }),
  };
}

async function workersOf(own: QueueName, queue: AnyQueue): Promise<readonly WorkerStatus[]> {
  const clients = await queue.getWorkers();
  return clients.map(({ rawname = '', name = '', addr = '', age = '0' }) => ({
    name: rawname.includes(':w:') ? rawname.slice(rawname.lastIndexOf(':w:') + ':w:'.length) : name,
    queue: own,
    address: addr,
    connectedSeconds: Number(age),
  }));
}

async function probed(queue: AnyQueue, timeoutMs: number): Promise<Probe> {
  const before = await statusOf('', queue);
  if (before.workers === 0) return 'nobody';
  if (before.paused) return 'paused';
  const job = await queue.add(probeName, {}, { lifo: true, jobId: `probe-${randomUUID()}` });
  const { id = '' } = job;
  const until = performance.now() + timeoutMs;
  // A completed job no longer exists.
  for (let delayMs = 5; performance.now() < until; delayMs = Math.min(delayMs * 2, 200)) {
    await sleep(delayMs);
    if ((await queue.getJob(id)) === undefined) return 'taken';
  }
  await queue.remove(id);
  return (await statusOf('', queue)).active > 0 ? 'busy' : 'idle';
}
