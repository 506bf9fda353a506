import type { QueueName, RunId, Wake } from '@millrace/core';
import { defaultQueue } from '@millrace/core';
import type { JobsOptions } from 'bullmq';
import { Queue as BullQueue } from 'bullmq';
import { LruMap } from '../../../blobs/read-through-cache.ts';
import { announceChange, startRefresh, subscribeToChanges } from '../../../live/refresh.ts';
import type { AnyQueue, QueueAdmin } from '../../../ports/admin.ts';
import type { Broadcast, Subscription } from '../../../ports/broadcast.ts';
import type { ConsumeOptions, Consumer, Processor, Queue, QueueLoad } from '../../../ports/queue.ts';
import type { Shard } from '../../redis/connection/shard.ts';
import { bullName, jobId } from '../../redis/location/keys.ts';
import { ActiveJobs } from './active-jobs.ts';
import type { BullWorkerSettings } from './bull-worker.ts';
import { maxStalledCount, Suspects, startBullWorker } from './bull-worker.ts';
import { createAdmissionController } from './fair/admission-controller.ts';
import type { AdmissionScript } from './fair/admission-script.ts';
import { createAdmissionScript } from './fair/admission-script.ts';
import type { JobPlaces } from './job-places.ts';
import { createJobPlaces } from './job-places.ts';
import type { RecoveredQueue } from './job-recovery.ts';
import { createQueueAdmin } from './queue-admin.ts';

/** Options of {@link createBullQueue}. */
export interface BullQueueOptions {
  /** Uses the connection of the store, so that a commit and its wakes are sent together. */
  readonly shard: Shard;
  /** Announces new queues and limits to other processes; absent: they are looked for more often. */
  readonly broadcast?: Broadcast;
  /** Milliseconds since 1970 by the clock of Redis, which times the delays of jobs; absent: by that of the process. */
  readonly now?: () => number;
  /** Counts active jobs; absent: an own counter. */
  readonly activeJobs?: ActiveJobs;
  /** Called when a processor throws, which is a bug in it, and with errors of Redis. */
  readonly onError: (error: Error, wake?: Wake) => void;
  /** Lease of a job whose worker gives no sign of life, in milliseconds. */
  readonly lockDurationMs?: number;
  /** Interval at which workers check for such jobs, in milliseconds. */
  readonly stalledIntervalMs?: number;
  /** Leaves those checks, and those for jobs that no worker has noticed, to a caretaker with a job recovery. */
  readonly skipStalledCheck?: boolean;
}

/** Queue that many processes share, and that operators can inspect. */
export interface SharedQueue extends Queue {
  readonly admin: QueueAdmin;
  /** Returns all present queues by name. */
  open(): Promise<ReadonlyMap<QueueName, AnyQueue>>;
  /** Returns all queues whose jobs may have to be recovered. */
  recovered(): Promise<readonly RecoveredQueue[]>;
}

/** Name of the jobs. */
const jobName = 'wake';
const chunkSize = 256;

type Jobs = BullQueue<RunId, void, typeof jobName>;

/**
 * Creates a queue that wakes workers in all processes through BullMQ. A job's id is the wake's, so a wake that is
 * queued or active is not added again; finished jobs are removed at once, whatever their outcome, as the run's own
 * state is the truth.
 */
export function createBullQueue(options: BullQueueOptions): SharedQueue {
  const { shard, broadcast, onError } = options;
  const { connection, keys } = shard;
  const { home } = keys;
  const names = createQueueNames(shard, broadcast);
  const opened = new Map<QueueName, Jobs>();
  const jobsOf = (queue: QueueName = defaultQueue): Jobs => {
    const known = opened.get(queue);
    if (known !== undefined) return known;
    const jobs: Jobs = new BullQueue(bullName(queue), {
      connection,
      prefix: home,
      // Jobs carry no more options than they need: workers remove finished jobs by options of their own.
      defaultJobOptions: { attempts: 1 },
    });
    jobs.on('error', (error) => onError(error));
    opened.set(queue, jobs);
    return jobs;
  };
  const open = async () => new Map((await names.read()).map((queue) => [queue, jobsOf(queue)]));
  const put = (wakes: readonly Wake[], first = false): Promise<unknown> => {
    const [only] = wakes;
    if (only === undefined || wakes.length > 1) return putAll(wakes);
    // The usual case, and much cheaper than a pipeline of one.
    const adding = jobsOf(only.queue).add(jobName, only.run, optionsOf(only, first));
    return only.queue === undefined ? adding : Promise.all([adding, names.announce(only.queue)]);
  };
  const putAll = async (wakes: readonly Wake[]): Promise<void> => {
    for (const [queue, some] of byQueue(wakes)) {
      await names.announce(queue);
      for (let from = 0; from < some.length; from += chunkSize)
        await addAll(jobsOf(queue), some.slice(from, from + chunkSize));
    }
  };
  const admissionScript = createAdmissionScript(shard);
  const admission = createAdmissionController({
    script: admissionScript,
    broadcast,
    admit: async (some) => void (await put(some)),
    onError,
  });
  const places = createJobPlaces(shard);
  const stops = new Set<() => Promise<void>>();
  return {
    wake(wakes) {
      const { admitted, requested, first } = admission.partition(wakes);
      const added = put(admitted, first);
      return requested === undefined ? added : Promise.all([added, requested]);
    },
    async requeue(wakes) {
      for (const [queue, some] of byQueue(wakes)) await places.clear(queue, some);
      await admission.requeue(wakes);
    },
    missing: (wakes) => missingOf({ places, admissionScript }, wakes),
    reconcile: async () => admission.reconcile(await names.recent()),
    consume(processor, consuming) {
      const working: Processor = (wake, signal, deaths) =>
        admission.holding(wake, () => processor(wake, signal, deaths));
      const { consumer, stop } = startConsumer(working, { ...options, connection, prefix: home }, { consuming, names });
      stops.add(stop);
      return consumer;
    },
    consumers: (queue) => jobsOf(queue).getWorkersCount(),
    async loads() {
      return Promise.all((await names.read()).map((queue) => loadOf(queue, jobsOf(queue))));
    },
    open,
    recovered: async () =>
      (await names.recent()).map((queue) => ({ name: bullName(queue), prefix: home, maxStalledCount })),
    admin: createQueueAdmin(open),
    async close() {
      await Promise.all([...stops].map((stop) => stop()));
      await admission.close();
      await Promise.all([...opened.values()].map((jobs) => jobs.close()));
    },
  };
}

interface MissingLookup {
  readonly places: JobPlaces;
  readonly admissionScript: AdmissionScript;
}

/** Returns the wakes whose job has no place in their queue, and that do not wait for admission. */
async function missingOf({ places, admissionScript }: MissingLookup, wakes: readonly Wake[]): Promise<readonly Wake[]> {
  const unplaced = [...byQueue(wakes)].map(([queue, some]) => places.without(queue, some));
  return admissionScript.unknown((await Promise.all(unplaced)).flat());
}

function optionsOf(wake: Wake, first = false): JobsOptions {
  const options: JobsOptions = { jobId: jobId(wake) };
  if (first) options.lifo = true;
  if (wake.priority !== undefined) options.priority = wake.priority;
  return options;
}

const addAll = (jobs: Jobs, wakes: readonly Wake[]) =>
  jobs.addBulk(wakes.map((wake) => ({ name: jobName, data: wake.run, opts: optionsOf(wake) }) as const));

function byQueue(wakes: readonly Wake[]): ReadonlyMap<QueueName, Wake[]> {
  const queues = new Map<QueueName, Wake[]>();
  for (const wake of wakes) {
    const { queue = defaultQueue } = wake;
    const some = queues.get(queue);
    if (some === undefined) queues.set(queue, [wake]);
    else some.push(wake);
  }
  return queues;
}

async function loadOf(queue: QueueName, jobs: Jobs): Promise<QueueLoad> {
  const [counts, consumers] = await Promise.all([
    jobs.getJobCounts('wait', 'prioritized', 'active'),
    jobs.getWorkersCount(),
  ]);
  const { wait = 0, prioritized = 0, active = 0 } = counts;
  return { queue, waiting: wait + prioritized, active, consumers };
}

interface QueueSelection {
  readonly consuming: ConsumeOptions;
  readonly names: QueueNames;
}

interface StartedConsumer {
  readonly consumer: Consumer;
  /** Aborts active work without waiting for it. */
  stop(): Promise<void>;
}

/** Starts one BullMQ worker for each queue, also for queues that are created later. */
function startConsumer(
  processor: Processor,
  settings: Omit<BullQueueOptions, 'shard'> & Pick<BullWorkerSettings, 'connection' | 'prefix'>,
  { consuming, names }: QueueSelection,
): StartedConsumer {
  const { queues = [defaultQueue], concurrency, name, isolatedFrom = 1 } = consuming;
  const activeJobs = new ActiveJobs();
  const suspects = new Suspects(isolatedFrom);
  const workers = new Map<QueueName, ReturnType<typeof startBullWorker>>();
  const serve = (some: readonly QueueName[]) => {
    for (const queue of some)
      if (!workers.has(queue))
        workers.set(queue, startBullWorker(processor, { activeJobs, suspects, ...settings, concurrency, name, queue }));
  };
  serve(queues === 'all' ? [defaultQueue] : queues);
  const following = queues === 'all' ? names.follow(serve, settings.onError) : undefined;
  const all = async (end: (worker: ReturnType<typeof startBullWorker>) => Promise<void>) => {
    following?.close();
    await Promise.all([...workers.values()].map(end));
  };
  return {
    consumer: { close: () => all(({ consumer }) => consumer.close()) },
    stop: () => all((worker) => worker.stop()),
  };
}

/** Names of the queues of an installation. */
interface QueueNames {
  /** Lists a queue for all processes. */
  announce(queue: QueueName): Promise<void>;
  /** Returns the names of all queues, the default one first. */
  read(): Promise<readonly QueueName[]>;
  /** Returns those of the last half minute, and new ones that were announced. */
  recent(): Promise<readonly QueueName[]>;
  /** Calls back with the names of all queues, at once and when there are new ones, until it is closed. */
  follow(onQueues: (queues: readonly QueueName[]) => void, onError: (error: Error) => void): { close(): void };
}

/** Time for which the names are valid that `recent` returns, in milliseconds: an announcement may be lost. */
const recentMs = 30_000;
/** The same where there are no announcements. */
const recentMsWithoutNotices = 5000;

/** Creates the names of the queues of a shard. */
function createQueueNames({ connection, keys: { queues } }: Shard, broadcast?: Broadcast): QueueNames {
  /** Queues that this process has listed. */
  const announced = new Set<QueueName>([defaultQueue]);
  const read = async (): Promise<readonly QueueName[]> => [defaultQueue, ...(await connection.smembers(queues)).sort()];
  const forMs = broadcast === undefined ? recentMsWithoutNotices : recentMs;
  const cached = new LruMap<readonly QueueName[]>({ forMs, limit: 1 });
  let subscription: Subscription | undefined;
  return {
    read,
    async recent() {
      subscription ??= subscribeToChanges(broadcast, 'queues', () => cached.drop(''));
      await subscription?.ready;
      return cached.of('', read);
    },
    async announce(queue) {
      if (announced.has(queue)) return;
      const added = await connection.sadd(queues, queue);
      announced.add(queue);
      if (added > 0) announceChange(broadcast, 'queues');
    },
    follow: (onQueues, onError) =>
      startRefresh({ of: 'queues', broadcast, read: async () => onQueues(await read()), onError }),
  };
}
