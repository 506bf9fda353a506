import { setMaxListeners } from 'node:events';
import type { QueueName, RunId, Wake } from '@millrace/core';
import type { Job } from 'bullmq';
import { DelayedError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Consumer, Processor } from '../../../ports/queue.ts';
import { runScript, scriptOf } from '../../redis/commands/script.ts';
import { bullName } from '../../redis/location/keys.ts';
import type { ActiveJobs } from './active-jobs.ts';
import { recoveredWorkerOptions } from './job-recovery.ts';
import { probeName } from './queue-admin.ts';
import { redisClock } from './redis-clock.ts';
import { wakeOf } from './wake-job.ts';

/** Settings of the worker of one queue; see the options of createBullQueue. */
export interface BullWorkerSettings {
  readonly connection: Redis;
  /** Key prefix of BullMQ, see `home` of {@link Keys}. */
  readonly prefix: string;
  readonly now?: () => number;
  readonly onError: (error: Error, wake?: Wake) => void;
  readonly lockDurationMs?: number;
  readonly stalledIntervalMs?: number;
  readonly skipStalledCheck?: boolean;
  readonly activeJobs: ActiveJobs;
  /** Those of all queues of the process. */
  readonly suspects: Suspects;
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

/** BullMQ fails no job over which workers have died: the run decides, see {@link Suspects}. */
export const maxStalledCount = 1_000_000;

/** Starts a worker of one queue. */
export function startBullWorker(processor: Processor, settings: BullWorkerSettings): BullWorker {
  const { connection, now = Date.now, onError, skipStalledCheck = false } = settings;
  const { lockDurationMs = 5000, stalledIntervalMs = 1000 } = settings;
  const controller = new AbortController();
  // Every active activation listens to it.
  setMaxListeners(Number.POSITIVE_INFINITY, controller.signal);
  /** Ids of the jobs that are being processed under their lock. */
  const held = new Set<string>();
  const worker = new Worker<RunId, void, string>(
    bullName(settings.queue),
    (job, token) =>
      settings.activeJobs.do(job, token, async () => {
        // A probe has no work: being taken is its purpose.
        if (job.name === probeName) return;
        const { id = '', stalledCounter } = job;
        // This process has lost the lock, and has taken its own job over before it noticed.
        const isOwn = held.has(id);
        if (isOwn) await live([id]);
        const deaths = Math.max(0, isOwn ? stalledCounter - 1 : stalledCounter);
        await settings.suspects.isolate(job, { token, deaths }, async () => {
          held.add(id);
          try {
            await processor(wakeOf(job, settings.queue), controller.signal, deaths);
          } finally {
            held.delete(id);
          }
        });
      }),
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
    redisClock(now),
  );
  settings.activeJobs.add(worker);
  /** Says once for each of these jobs that this process has not died over it. */
  const live = async (ids: readonly string[]): Promise<void> => {
    const lost = ids.filter((id) => held.delete(id));
    await reportAlive(
      connection,
      lost.map((id) => `${settings.prefix}:${bullName(settings.queue)}:${id}`),
    );
  };
  worker.on('lockRenewalFailed', (ids) => void live(ids).catch(onError));
  worker.on('error', (error) => onError(error));
  worker.on('failed', (job, error) => onError(error, job && wakeOf(job, settings.queue)));
  return {
    consumer: { close: () => worker.close() },
    async stop() {
      controller.abort();
      const active = [...held];
      await worker.close(true);
      // Its locks expire, as if it had died.
      await live(active).catch(onError);
    },
  };
}

/*
 * Deaths of workers over jobs.
 *
 * BullMQ raises a counter of a job (`stc`) when the job is found without the lock that its worker renews. That is a death of the
 * worker, or the worker lives and has lost the lock: in an outage of Redis, or because it was paused. A worker that lives says so
 * as soon as it notices, and lowers the counter again. So the counter of a job is the number of workers that have really died
 * while they processed it. It ends with the job; a job of the same activation with another token begins at zero.
 */

/** Delay after which a suspect is offered again, in milliseconds. */
const offeredAgainMs = 1000;

/** Keeps jobs over which workers have died apart from each other, so that the next death is due to one of them. */
export class Suspects {
  readonly #isolatedFrom: number;
  #isBusy = false;

  /** Jobs over which as many workers have died are isolated. */
  constructor(isolatedFrom: number) {
    this.#isolatedFrom = isolatedFrom;
  }

  /** Processes a job over which workers have died; one that is isolated goes back to its queue while another one is processed. */
  isolate<T>(
    job: Pick<Job, 'moveToDelayed'>,
    { token, deaths }: { readonly token: string | undefined; readonly deaths: number },
    work: () => Promise<T>,
  ): Promise<T> {
    return deaths < this.#isolatedFrom ? work() : this.#alone(job, token, work);
  }

  async #alone<T>(job: Pick<Job, 'moveToDelayed'>, token: string | undefined, work: () => Promise<T>): Promise<T> {
    if (this.#isBusy) {
      await job.moveToDelayed(Date.now() + offeredAgainMs, token);
      throw new DelayedError();
    }
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      this.#isBusy = false;
    }
  }
}

/** Lowers the count of deaths over jobs by one: their worker lives. Jobs that have ended have no count. */
async function reportAlive(connection: Redis, jobKeys: readonly string[]): Promise<void> {
  if (jobKeys.length > 0) await runScript(connection, lowerCounts, { keys: [...jobKeys], args: [] });
}

const lowerCounts = scriptOf(`
for _, key in ipairs(KEYS) do
  if redis.call('exists', key) == 1 then redis.call('hincrby', key, 'stc', -1) end
end
`);
