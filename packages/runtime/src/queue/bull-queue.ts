import { setMaxListeners } from 'node:events';
import type { Wake } from '@millrace/core';
import { wakeId } from '@millrace/core';
import { Queue as BullQueue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { defaultPrefix } from '../store/keys.ts';
import type { Consumer, Processor, Queue } from './port.ts';

/** Options of {@link createBullQueue}. */
export interface BullQueueOptions {
  /** The store's own, so that a commit and its wakes travel back to back; whoever opened it closes it. */
  readonly connection: Redis;
  readonly prefix?: string;
  /** Hears of processors that throw, which is a bug of theirs, and of trouble with Redis. */
  readonly onError: (error: Error, wake?: Wake) => void;
  /** How long a job stays with a worker that gives no sign of life, in milliseconds. */
  readonly lockDurationMs?: number;
  /** How often workers look for such jobs, in milliseconds. */
  readonly stalledIntervalMs?: number;
}

/** Name of the queue, and of the jobs in it. */
const queueName = 'activations';
const jobName = 'activation';
const chunkSize = 256;

/** A job is a mere wake-up call, so how often workers died over it says nothing about it. */
const maxStalledCount = 1_000_000;

/**
 * Wakes workers in all processes through BullMQ. A job's id is the wake's, so a wake that is queued or at work is not
 * added again; finished jobs are removed at once, whatever became of them, as the run's own state is the truth.
 */
export function createBullQueue(options: BullQueueOptions): Queue {
  const { connection, onError, prefix = defaultPrefix } = options;
  const queue = new BullQueue<Wake, void, typeof jobName>(queueName, {
    connection,
    prefix,
    defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
  });
  queue.on('error', (error) => onError(error));
  const stops = new Set<() => Promise<void>>();
  return {
    async wake(wakes) {
      const jobs = wakes.map((wake) => ({ name: jobName, data: wake, opts: { jobId: wakeId(wake) } }) as const);
      const [first] = jobs;
      if (first !== undefined && jobs.length === 1) {
        // The usual case, and much cheaper than a pipeline of one.
        await queue.add(first.name, first.data, first.opts);
        return;
      }
      for (let from = 0; from < jobs.length; from += chunkSize) {
        await queue.addBulk(jobs.slice(from, from + chunkSize));
      }
    },
    consume(processor, { concurrency, name }) {
      const { consumer, stop } = startWorker(processor, { ...options, prefix, concurrency, name });
      stops.add(stop);
      return consumer;
    },
    consumers: () => queue.getWorkersCount(),
    async close() {
      await Promise.all([...stops].map((stop) => stop()));
      await queue.close();
    },
  };
}

interface WorkerSettings extends BullQueueOptions {
  readonly prefix: string;
  readonly concurrency: number;
  readonly name: string;
}

interface StartedWorker {
  readonly consumer: Consumer;
  /** Does not wait for the work in hand, but tells it to stop. */
  stop(): Promise<void>;
}

function startWorker(processor: Processor, settings: WorkerSettings): StartedWorker {
  const { connection, onError, lockDurationMs = 5000, stalledIntervalMs = 1000 } = settings;
  const controller = new AbortController();
  // Every activation in hand listens to it.
  setMaxListeners(Number.POSITIVE_INFINITY, controller.signal);
  const worker = new Worker<Wake, void, typeof jobName>(queueName, (job) => processor(job.data, controller.signal), {
    connection,
    prefix: settings.prefix,
    concurrency: settings.concurrency,
    name: settings.name,
    lockDuration: lockDurationMs,
    stalledInterval: stalledIntervalMs,
    maxStalledCount,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  });
  worker.on('error', (error) => onError(error));
  worker.on('failed', (job, error) => onError(error, job?.data));
  return {
    consumer: { close: () => worker.close() },
    async stop() {
      controller.abort();
      await worker.close(true);
    },
  };
}
