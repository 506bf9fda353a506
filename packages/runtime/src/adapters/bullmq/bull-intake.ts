import type { Job } from 'bullmq';
import { DelayedError, Queue, UnrecoverableError, Worker } from 'bullmq';
import type { Intake, IntakeJob, IntakeResult, RefusedJob } from '../../ports/jobs.ts';
import type { Consumer } from '../../ports/queue.ts';
import type { Shard } from '../redis/connection/shard.ts';
import { ActiveJobs } from './queue/active-jobs.ts';
import type { RecoveredQueue } from './queue/job-recovery.ts';
import { recoveredWorkerOptions } from './queue/job-recovery.ts';
import { redisClock } from './queue/redis-clock.ts';

/** Options of {@link createBullIntake}. */
export interface BullIntakeOptions {
  readonly shard: Shard;
  /** Milliseconds since 1970 by the clock of Redis, which times the delays of jobs. */
  readonly now: () => number;
  /** Counts active jobs; absent: an own counter. */
  readonly activeJobs?: ActiveJobs;
  /** Called with errors of Redis. */
  readonly onError: (error: Error) => void;
  /**
   * First delay of a job that cannot be taken now, in milliseconds; each further delay is twice as long, up to 32
   * times.
   */
  readonly delayMs?: number;
}

/** Name of the queue in BullMQ. It is part of the public contract. */
export const intakeName = 'millrace-intake';

/** Refused jobs that are kept. */
const maxRefusedJobs = 1000;
/** Number of jobs whose outcome is remembered, and for how many seconds. */
const completedJobsKept = { age: 3600, count: 1000 };
/** A job that throws so often, or over which so many processes have died, is itself the cause. */
const maxFailures = 5;
const concurrency = 8;
/** Lease of a job whose process gives no sign of life, in milliseconds. */
const lockDuration = 5000;

/** The intake as a queue that operators can inspect. */
export interface SharedIntake extends Intake {
  queue(): Queue;
  readonly recovered: RecoveredQueue;
}

/**
 * The intake queue as a queue of BullMQ, so that every client of BullMQ can add jobs. Refused jobs are kept in BullMQ's
 * own set of failed jobs: a refusal is one step, and no crash can lose or duplicate it.
 */
export function createBullIntake(options: BullIntakeOptions): SharedIntake {
  const { shard, onError } = options;
  const { connection } = shard;
  const { prefix } = shard.keys;
  let opened: Queue | undefined;
  const queue = (): Queue => {
    opened ??= new Queue(intakeName, { connection, prefix }).on('error', onError);
    return opened;
  };
  const refusedJob = async (id: string): Promise<Job | undefined> => {
    const job = await queue().getJob(id);
    return job !== undefined && (await job.isFailed()) ? job : undefined;
  };
  const consumers = new Set<Consumer>();
  return {
    queue,
    recovered: { name: intakeName, prefix, maxStalledCount: maxFailures },
    consume(take, { name }) {
      const consumer = startWorker(take, { ...options, name });
      consumers.add(consumer);
      return consumer;
    },
    async refused(from, limit) {
      const jobs = await queue().getFailed(from, from + limit - 1);
      // A job that is removed meanwhile leaves a gap.
      return jobs.flatMap((job: Job | undefined) => (job === undefined ? [] : [refusedOf(job)]));
    },
    async find(id) {
      const job = await refusedJob(id);
      return job === undefined ? undefined : refusedOf(job);
    },
    async retry(id) {
      const job = await refusedJob(id);
      // The job is queued as if it had just been added.
      await job?.updateProgress(0);
      await job?.retry('failed', { resetAttemptsStarted: true });
      return job !== undefined;
    },
    async drop(id) {
      const job = await refusedJob(id);
      await job?.remove();
      return job !== undefined;
    },
    async close() {
      await Promise.all([...consumers].map((consumer) => consumer.close()));
      await opened?.close();
    },
  };
}

interface Settings extends BullIntakeOptions {
  readonly name: string;
}

function startWorker(take: (job: IntakeJob) => Promise<IntakeResult>, settings: Settings): Consumer {
  const { shard, name, now, onError, delayMs = 1000, activeJobs = new ActiveJobs() } = settings;
  const { connection } = shard;
  const { prefix } = shard.keys;
  const worker = new Worker(
    intakeName,
    (job, token) => activeJobs.do(job, token, () => handle(take, { job, token, delayMs })),
    {
      connection,
      prefix,
      name,
      concurrency,
      lockDuration,
      maxStalledCount: maxFailures,
      ...recoveredWorkerOptions,
      removeOnComplete: completedJobsKept,
      removeOnFail: { count: maxRefusedJobs },
    },
    redisClock(now),
  );
  activeJobs.add(worker);
  worker.on('error', onError);
  return { close: () => worker.close() };
}

interface Delivery {
  readonly job: Job;
  readonly token: string | undefined;
  readonly delayMs: number;
}

async function handle(take: (job: IntakeJob) => Promise<IntakeResult>, delivery: Delivery): Promise<unknown> {
  const { job } = delivery;
  const taken = await take({ id: job.id ?? '', key: keyOf(job), data: job.data }).catch((error) => failed(job, error));
  switch (taken.type) {
    case 'started':
      return taken.answer;
    case 'refused':
      throw new UnrecoverableError(taken.reason);
    case 'later':
      await job.moveToDelayed(Date.now() + retryDelayMs(delivery), delivery.token);
      throw new DelayedError(taken.reason);
  }
}

/** Counts the attempts in the job itself: BullMQ counts only deliveries, including delayed ones. */
async function failed(job: Job, error: unknown): Promise<IntakeResult> {
  const failures = failuresOf(job) + 1;
  const reason = error instanceof Error ? error.message : String(error);
  if (failures >= maxFailures) return { type: 'refused', reason };
  await job.updateProgress({ failures });
  return { type: 'later', reason };
}

const failuresOf = ({ progress }: Job): number =>
  typeof progress === 'object' && 'failures' in progress ? Number(progress['failures']) : 0;

const retryDelayMs = ({ job, delayMs }: Delivery): number => delayMs * 2 ** Math.min(job.attemptsStarted - 1, 5);

/** Identifies a job by its number and time: numbers are the queue's own and begin again with a new queue. */
const keyOf = ({ id = '', timestamp }: Job): string => (/^\d+$/.test(id) ? `${id}.${timestamp}` : id);

const refusedOf = (job: Job): RefusedJob => ({
  id: job.id ?? '',
  reason: job.failedReason ?? '',
  refusedAt: job.finishedOn ?? job.timestamp,
  data: job.data,
});
