import type { RunLimits, Vocabulary } from '@millrace/core';
import { defaultRunLimits, omitUndefined } from '@millrace/core';
import { createDirectoryBlobs } from './blobs/directory-blobs.ts';
import { createMemoryBlobs } from './blobs/memory-blobs.ts';
import type { Blobs } from './blobs/port.ts';
import { createRedisBlobs } from './blobs/redis-blobs.ts';
import type { Runs } from './contract/runs.ts';
import { createBullJobQueues } from './jobs/background-jobs.ts';
import { createBullIntake } from './jobs/intake/bull-intake.ts';
import { noIntake } from './jobs/intake/no-intake.ts';
import type { Intake } from './jobs/intake/port.ts';
import type { JobQueues } from './jobs/port.ts';
import type { Broadcast } from './live/broadcast.ts';
import { createLocalBroadcast } from './live/broadcast.ts';
import { createRedisBroadcast } from './live/redis-broadcast.ts';
import type { Caretaker } from './maintenance/caretaker.ts';
import { startCaretaker } from './maintenance/caretaker.ts';
import { checkRedis } from './maintenance/doctor/diagnose-redis.ts';
import { sweepFiles } from './maintenance/retention/sweep-files.ts';
import type { Keep } from './maintenance/retention/tidy.ts';
import { removeExpiredRuns } from './maintenance/retention/tidy.ts';
import { ActiveJobs } from './queue/active-jobs.ts';
import { createBullQueue } from './queue/bull-queue.ts';
import type { Limits } from './queue/fair/limits.ts';
import { createLimits, unlimited } from './queue/fair/limits.ts';
import { createInlineQueue } from './queue/inline-queue.ts';
import type { Queue } from './queue/port.ts';
import type { Rates } from './rates/port.ts';
import { createRedisRates } from './rates/redis-rates.ts';
import { assertRedis } from './redis/assert-redis.ts';
import { connectWatched } from './redis/connection.ts';
import { evicting } from './redis/evicting.ts';
import type { Outages } from './redis/outages/outage-monitor.ts';
import { reportOutages } from './redis/outages/report-outages.ts';
import type { Report } from './redis/report.ts';
import { atMostOnceASecond, withoutBrokenConnections, withoutOutages } from './redis/report.ts';
import { createShard } from './redis/shard.ts';
import { watchPolicy } from './redis/watch-policy.ts';
import { createRuns } from './runs/runs.ts';
import { createMemoryStore } from './store/memory/memory-store.ts';
import type { Store } from './store/port.ts';
import { createRedisStore } from './store/redis/redis-store.ts';
import { dayOf } from './store/usage.ts';
import type { Takeover } from './takeover/takeover.ts';
import { createTakeover } from './takeover/takeover.ts';
import type { InstallationAdmin } from './telemetry/gauges.ts';
import { readGauges } from './telemetry/gauges.ts';
import { Instrumentations } from './telemetry/instrumentation.ts';
import { readWorkerReports } from './telemetry/worker-reports.ts';

/** Location of runs: a Redis, or this process only. */
export type RuntimeLocation = (
  | {
      readonly redisUrl: string;
      readonly prefix?: string;
      readonly blobs?: BlobLocation;
      /** Number of replicas that must have received a start, an answer and the end of a run; default: none. */
      readonly replicas?: number;
      /**
       * Approximate number of events of a run's journal that are kept in Redis; older ones become blobs. Default:
       * 10,000.
       */
      readonly journalWindow?: number;
      /** Retention of ended runs; default: for ever. */
      readonly keep?: Keep;
      /** Retention of unused uploads and unreferenced contents, in milliseconds; default: forever. */
      readonly keepFilesMs?: number;
      /** Directory to which runs are archived before they are removed; absent: they are not archived. */
      readonly archiveDirectory?: string;
    }
  /** `now` gives milliseconds since 1970 in place of the process's clock. */
  | { readonly local: true; readonly now?: () => number }
) & {
  /** Limits of what one run may contain; absent parts have their defaults. */
  readonly limits?: Partial<RunLimits>;
};

/** Location of large contents: in Redis (the default), or as files in a directory that all processes share. */
export type BlobLocation = { readonly type: 'redis' } | { readonly type: 'directory'; readonly path: string };

/** Runtime of a process: everything that it needs to start, watch and execute runs. */
export interface Runtime {
  readonly runs: Runs;
  readonly store: Store;
  readonly blobs: Blobs;
  readonly queue: Queue;
  /** Absent where runs live in this process only: their events are not relayed, and no schedule starts them. */
  readonly jobs?: JobQueues;
  /** Limits of the activations of tenants and workflows. */
  readonly limits: Limits;
  /** Queue to which other programs add jobs that start runs. */
  readonly intake: Intake;
  /** Instrumentation of this process; metrics and traces are added to it. */
  readonly instrumentation: Instrumentations;
  /** Administration of the installation; absent where runs live in this process only. */
  readonly admin?: InstallationAdmin;
  /** The outages of Redis; absent where runs live in this process only. */
  readonly outages?: Outages;
  /** Takes over the data of builds with earlier formats; absent where runs live in this process only. */
  readonly takeover?: Takeover;
  /** Active jobs of this process, which can be stopped from taking more; absent where there are no jobs. */
  readonly activeJobs?: Pick<ActiveJobs, 'count' | 'stop'>;
  /** Warnings about the durability of stored runs. */
  readonly findings: readonly string[];
  /**
   * Starts the caretaker, which runs until it, or the runtime, is closed. With `takesOver`, for processes that execute
   * runs, it takes over the runs of builds with earlier formats.
   */
  startCaretaker(options?: { readonly takesOver?: boolean }): Caretaker;
  close(): Promise<void>;
}

/** Opens the runtime. Throws RequestError when Redis cannot be reached or may lose runs silently. */
export async function openRuntime(where: RuntimeLocation, vocabulary: Vocabulary, logReport: Report): Promise<Runtime> {
  const report = withoutOutages(atMostOnceASecond(logReport));
  const base = 'local' in where ? openLocal(where, report) : await openRedis(where, report);
  const { store, blobs, queue, broadcast, rates } = base;
  const { journalWindow, keep, keepFilesMs, archiveDirectory } = 'local' in where ? noLimits : where;
  const rateOption = rates === undefined ? {} : { rates };
  const retention = { journalWindow, archiveDirectory };
  const instrumentation = new Instrumentations();
  const runs = createRuns({
    instrumentation,
    store,
    blobs,
    queue,
    vocabulary,
    report,
    broadcast,
    limits: { ...defaultRunLimits, ...where.limits },
    ...retention,
    ...rateOption,
  });
  const condenseUsage = hourly(store.now, () => store.usage.condense(dayOf(store.now())));
  const tidy = async (signal: AbortSignal) => {
    if (keep !== undefined) await removeExpiredRuns({ store, blobs, keep, archiveDirectory, report }, signal);
    if (keepFilesMs !== undefined) await sweepFiles({ store, blobs, keepMs: keepFilesMs }, signal);
    await condenseUsage();
  };
  const caretakers = new Set<Caretaker>();
  return omitUndefined({
    runs,
    store,
    blobs,
    queue,
    jobs: base.jobs,
    limits: base.limits,
    intake: base.intake,
    instrumentation,
    admin: base.admin,
    outages: base.outages,
    takeover: base.takeover,
    activeJobs: base.activeJobs,
    findings: base.findings,
    startCaretaker({ takesOver = false } = {}) {
      const { takeover } = base;
      const caretaker = startCaretaker({
        store,
        queue,
        runs,
        report,
        ...(takesOver && takeover !== undefined ? { takeOver: () => takeover.runs() } : {}),
        tidy,
      });
      caretakers.add(caretaker);
      return caretaker;
    },
    async close() {
      await Promise.all([...caretakers].map((caretaker) => caretaker.close()));
      broadcast.close();
      await base.jobs?.close();
      await base.intake.close();
      await queue.close();
      await store.close();
      await base.disconnect();
    },
  });
}

/** Returns an action that does something at most once an hour. */
function hourly(now: () => number, act: () => Promise<void>): () => Promise<void> {
  let at = Number.NEGATIVE_INFINITY;
  return async () => {
    if (now() - at < 60 * 60 * 1000) return;
    await act();
    at = now();
  };
}

/** Opens a runtime whose runs live in this process only and end with it. */
const noLimits: Pick<
  Extract<RuntimeLocation, { redisUrl: string }>,
  'journalWindow' | 'keep' | 'keepFilesMs' | 'archiveDirectory'
> = {};

interface Base {
  readonly store: Store;
  readonly blobs: Blobs;
  readonly queue: Queue;
  readonly limits: Limits;
  readonly intake: Intake;
  readonly broadcast: Broadcast;
  /** Absent: the jobs of this process. */
  readonly rates?: Rates;
  readonly jobs?: ReturnType<typeof createBullJobQueues>;
  readonly admin?: InstallationAdmin;
  readonly takeover?: Takeover;
  readonly outages?: Outages;
  readonly activeJobs?: ActiveJobs;
  readonly findings: readonly string[];
  readonly disconnect: () => Promise<void>;
}

function openLocal({ now }: Extract<RuntimeLocation, { local: true }>, report: Report): Base {
  return {
    store: createMemoryStore(now === undefined ? {} : { now }),
    blobs: createMemoryBlobs(),
    queue: createInlineQueue({ onError: (error) => report('an activation could not be executed', error) }),
    limits: unlimited,
    intake: noIntake,
    broadcast: createLocalBroadcast(),
    findings: ['Runs live in this process only: nothing survives it.'],
    disconnect: async () => {},
  };
}

async function openRedis(
  { redisUrl, prefix, blobs: blobLocation, replicas = 0 }: Extract<RuntimeLocation, { redisUrl: string }>,
  report: Report,
): Promise<Base> {
  const { connection, outages } = connectWatched(redisUrl, 'store', prefix);
  const shard = createShard(connection, prefix);
  outages.onOutage(reportOutages(report));
  const reportTrouble = withoutBrokenConnections(report);
  const activeJobs = new ActiveJobs();
  try {
    const { warnings } = await assertRedis(connection, { probeKey: shard.keys.probe });
    const blobs =
      blobLocation?.type === 'directory' ? createDirectoryBlobs(blobLocation.path) : createRedisBlobs(shard);
    const queue = createBullQueue({
      shard,
      activeJobs,
      onError: (error) => reportTrouble('trouble in the queue', error),
    });
    const store = createRedisStore({ shard, blobs, replicas });
    const jobs = createBullJobQueues({
      shard,
      now: store.now,
      activeJobs,
      onError: (error) => reportTrouble('Background jobs failed', error),
    });
    const intake = createBullIntake({
      shard,
      now: store.now,
      activeJobs,
      onError: (error) => reportTrouble('trouble in the intake queue', error),
    });
    const unwatch = watchPolicy(store.capacity, report);
    return {
      store,
      blobs,
      queue,
      jobs,
      limits: createLimits(shard),
      intake,
      admin: {
        queueAdmin: queue.admin,
        gauges: () => readGauges(shard),
        diagnoseRedis: () => checkRedis(shard),
        workerReports: (names) => readWorkerReports(store.registry, names),
        queues: async () => [...(await queue.open()).values(), ...jobs.opened(), intake.queue()],
      },
      takeover: createTakeover({ shard, queueAdmin: queue.admin, report }),
      rates: createRedisRates(shard),
      broadcast: createRedisBroadcast(shard),
      outages: {
        current: () => outages.current(),
        bounded: (needs, work) => outages.bounded(needs, work),
        async check(timeoutMs) {
          await outages.check(timeoutMs);
          const room = await store.capacity();
          if (room.type === 'evicting') throw evicting(room.policy);
        },
      },
      activeJobs,
      findings: warnings,
      async disconnect() {
        unwatch();
        connection.disconnect();
      },
    };
  } catch (error) {
    connection.disconnect();
    throw error;
  }
}
