import { setMaxListeners } from 'node:events';
import type { QueueName, Wake } from '@millrace/core';
import { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { bullName } from '../store/keys.ts';
import type { ActiveJobs } from './active-jobs.ts';
import { recoveredWorkerOptions } from './job-recovery.ts';
import type { Consumer, Processor } from './port.ts';
import { probeName } from './queue-admin.ts';

/** Settings of the worker of one queue; see the options of createBullQueue. */
export interface BullWorkerSettings {
  readonly connection: Redis;
  /** Key prefix of BullMQ, see `home` of {@link Keys}. */
  readonly prefix: string;
  readonly onError: (error: Error, wake?: Wake) => void;
  readonly lockDurationMs?: number;
  readonly stalledIntervalMs?: number;
  readonly skipStalledCheck?: boolean;
  readonly activeJobs: ActiveJobs;
  readonly queue: QueueName;
  readonly concurrency: number;
  readonly name: string;
}

/** Worker of one queue. */
export interface BullWorker {
  readonly consumer: Consumer;
  /** Aborts active work without waiting for it. */
  stop(): Promise<void>;
}

/** A job is only a wake, so the number of workers that died over it says nothing about it. */
export const maxStalledCount = 1_000_000;

/** Starts a worker of one queue. */
export function startBullWorker(processor: Processor, settings: BullWorkerSettings): BullWorker {
  const { connection, onError, lockDurationMs = 5000, stalledIntervalMs = 1000, skipStalledCheck = false } = settings;
  const controller = new AbortController();
  // Every active activation listens to it.
  setMaxListeners(Number.POSITIVE_INFINITY, controller.signal);
  const worker = new Worker<Wake, void, string>(
    bullName(settings.queue),
    (job, token) =>
      // A probe has no work: being taken is its purpose.
      settings.activeJobs.do(job, token, () =>
        job.name === probeName ? Promise.resolve() : processor(job.data, controller.signal),
      ),
    {
      connection,
      prefix: settings.prefix,
      concurrency: settings.concurrency,
      name: settings.name,
      lockDuration: lockDurationMs,
      stalledInterval: stalledIntervalMs,
      maxStalledCount,
      ...(skipStalledCheck ? recoveredWorkerOptions : {}),
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    },
  );
  settings.activeJobs.add(worker);
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
