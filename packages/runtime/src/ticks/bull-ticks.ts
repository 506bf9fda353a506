import { Queue, Worker } from 'bullmq';
import type { BullOptions } from '../errands/bull-options.ts';
import type { Consumer } from '../queue/port.ts';
import type { AnyQueue } from '../queue/queue-desk.ts';
import { createKeys } from '../store/keys.ts';
import type { Ticks } from './port.ts';

const queueName = 'schedules';
const jobName = 'tick';
const concurrency = 8;
/** Workers that died over a tick say nothing about it. */
const maxStalledCount = 1_000_000;
const remembered = { age: 60 * 60, count: 1000 };

interface Series {
  readonly series: string;
}

/** Ticks as a queue that people can look at. */
export interface SharedTicks extends Ticks {
  readonly queue: AnyQueue;
  close(): Promise<void>;
}

/** Series of ticks as job schedulers of BullMQ: each has one job that is delayed until its next time. */
export function createBullTicks(options: BullOptions): SharedTicks {
  const { connection, onError } = options;
  const { home: prefix } = createKeys(options.prefix);
  const queue = new Queue<Series, void, string>(queueName, { connection, prefix });
  queue.on('error', onError);
  const consumers = new Set<Consumer>();
  return {
    queue,
    async set(series, { cron, timezone }) {
      const opts = {
        attempts: 10,
        backoff: { type: 'exponential', delay: 1000 },
        removeOnComplete: remembered,
        removeOnFail: remembered,
      };
      await queue.upsertJobScheduler(
        series,
        { pattern: cron, tz: timezone },
        { name: jobName, data: { series }, opts },
      );
    },
    async clear(series) {
      await queue.removeJobScheduler(series);
    },
    async find(series) {
      const found = await queue.getJobScheduler(series);
      if (found?.pattern === undefined) return undefined;
      return { cron: found.pattern, timezone: found.tz ?? 'UTC' };
    },
    consume(perform) {
      const worker = new Worker<Series, void, string>(
        queueName,
        // The time of a tick is where BullMQ counts the next one from.
        (job) => perform({ series: job.data.series, at: job.opts.prevMillis ?? job.timestamp }),
        { connection, prefix, concurrency, lockDuration: 5000, stalledInterval: 1000, maxStalledCount },
      );
      worker.on('error', onError);
      worker.on('failed', (_job, error) => onError(error));
      const consumer = { close: () => worker.close() };
      consumers.add(consumer);
      return consumer;
    },
    async close() {
      await Promise.all([...consumers].map((consumer) => consumer.close()));
      await queue.close();
    },
  };
}
