import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { QueueName } from '@millrace/core';
import type { AnyQueue, Probe, QueueAdmin, QueueStatus, WorkerStatus } from '../../../ports/admin.ts';

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
