import { DelayedError, Queue, Worker } from 'bullmq';
import type { AnyQueue } from '../../ports/admin.ts';
import type { JobQueue, JobQueues } from '../../ports/jobs.ts';
import type { Consumer } from '../../ports/queue.ts';
import { ActiveJobs } from './queue/active-jobs.ts';
import type { RecoveredQueue } from './queue/job-recovery.ts';
import { recoveredWorkerOptions } from './queue/job-recovery.ts';
import { redisClock } from './queue/redis-clock.ts';
import type { BullJobOptions } from './scheduler/redis-scheduler.ts';
import { createRedisScheduler } from './scheduler/redis-scheduler.ts';

/** Time in seconds for which the id of a completed job is kept, and the maximum number of ids kept. */
const completedJobsKept = { age: 60 * 60, count: 10_000 };
const chunkSize = 256;
/** Names of all queues of background jobs. */
export const backgroundQueues: readonly string[] = ['webhooks', 'batches', 'bulk'];
/** Keeps retrying a job whose workers have died: that says nothing about the job. */
const maxStalledCount = 1_000_000;

/** The background jobs of an installation, in queues that operators can inspect. */
export interface SharedJobQueues extends JobQueues {
  /** Queues that this process has opened. */
  opened(): readonly AnyQueue[];
  /** Queues with background jobs of any process. */
  readonly recovered: readonly RecoveredQueue[];
  close(): Promise<void>;
}

/** Options of {@link createBullJobQueues}. */
export interface BullJobQueuesOptions extends BullJobOptions {
  /** Milliseconds since 1970 by the clock of Redis, which times the retries of all processes. */
  readonly now: () => number;
}

/** Creates queues of background jobs in BullMQ. Queues that were opened are closed with it. */
export function createBullJobQueues(options: BullJobQueuesOptions): SharedJobQueues {
  const { shard, onError } = options;
  const { connection } = shard;
  const { home: prefix } = shard.keys;
  const closers: (() => Promise<void>)[] = [];
  const queues: AnyQueue[] = [];
  return {
    open<T>(name: string): JobQueue<T> {
      const queue = new Queue<T, void, string>(name, { connection, prefix });
      queue.on('error', onError);
      closers.push(() => queue.close());
      queues.push(queue);
      return {
        async add(jobs, { attempts, delayMs }) {
          const opts = {
            attempts,
            backoff: { type: 'exponential', delay: delayMs, jitter: 0.2 },
            removeOnComplete: completedJobsKept,
            removeOnFail: completedJobsKept,
          };
          const bullJobs = jobs.map(({ id, data }) => ({ name, data, opts: { ...opts, jobId: id } }));
          for (let from = 0; from < bullJobs.length; from += chunkSize) {
            // The types of bullmq derive a job's data from the queue in a way that a type parameter does not satisfy.
            await queue.addBulk(bullJobs.slice(from, from + chunkSize) as Parameters<typeof queue.addBulk>[0]);
          }
        },
        consume(handler, { concurrency }) {
          const consumer = startWorker(name, handler, { ...options, concurrency });
          closers.unshift(() => consumer.close());
          return consumer;
        },
        consumers: () => queue.getWorkersCount(),
      };
    },
    openScheduler() {
      const scheduler = createRedisScheduler(options);
      closers.push(() => scheduler.close());
      return scheduler;
    },
    opened: () => queues,
    recovered: backgroundQueues.map((name) => ({ name, prefix, maxStalledCount })),
    async close() {
      for (const close of closers) await close();
    },
  };
}

type JobHandler<T> = Parameters<JobQueue<T>['consume']>[0];

interface Settings extends BullJobQueuesOptions {
  readonly concurrency: number;
}

function startWorker<T>(
  name: string,
  handler: JobHandler<T>,
  { shard, concurrency, onError, now, activeJobs = new ActiveJobs() }: Settings,
): Consumer {
  const stopping = new AbortController();
  const { connection } = shard;
  const { home: prefix } = shard.keys;
  const worker = new Worker<T, void, string>(
    name,
    (job, token) => {
      const attempts = job.opts.attempts ?? 1;
      const number = job.attemptsMade + 1;
      const postpone = async (afterMs: number): Promise<never> => {
        await job.moveToDelayed(Date.now() + afterMs, token);
        throw new DelayedError();
      };
      const attempt = { number, isLast: number >= attempts, signal: stopping.signal, postpone };
      return activeJobs.do(job, token, () => handler(job.data, attempt));
    },
    { connection, prefix, concurrency, lockDuration: 5000, maxStalledCount, ...recoveredWorkerOptions },
    redisClock(now),
  );
  activeJobs.add(worker);
  worker.on('error', onError);
  return {
    async close() {
      stopping.abort();
      await worker.close();
    },
  };
}
