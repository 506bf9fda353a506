import type { RunId } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { SharedJobQueues } from './adapters/bullmq/background-jobs.ts';
import { createBullJobQueues } from './adapters/bullmq/background-jobs.ts';
import type { SharedIntake } from './adapters/bullmq/bull-intake.ts';
import { createBullIntake } from './adapters/bullmq/bull-intake.ts';
import { ActiveJobs } from './adapters/bullmq/queue/active-jobs.ts';
import type { SharedQueue } from './adapters/bullmq/queue/bull-queue.ts';
import { createBullQueue } from './adapters/bullmq/queue/bull-queue.ts';
import { createLimits } from './adapters/bullmq/queue/fair/limits.ts';
import { createJobRecovery } from './adapters/bullmq/queue/job-recovery.ts';
import { assertRedis } from './adapters/redis/connection/assert-redis.ts';
import { connectWatched } from './adapters/redis/connection/connection.ts';
import type { Report } from './adapters/redis/connection/report.ts';
import { withoutBrokenConnections, withoutLostJobs } from './adapters/redis/connection/report.ts';
import type { Shard } from './adapters/redis/connection/shard.ts';
import { createShard } from './adapters/redis/connection/shard.ts';
import { watchPolicy } from './adapters/redis/connection/watch-policy.ts';
import { checkRedis } from './adapters/redis/diagnose-redis.ts';
import { readGauges } from './adapters/redis/gauges.ts';
import { startLease } from './adapters/redis/lease.ts';
import type { OnOutage, Outages } from './adapters/redis/outages/outage-monitor.ts';
import { createOutageTimes, reportOutages } from './adapters/redis/outages/outage-times.ts';
import { createRedisBroadcast } from './adapters/redis/redis-broadcast.ts';
import { createRedisRates } from './adapters/redis/redis-rates.ts';
import { createRequestCounts } from './adapters/redis/request-counts.ts';
import { assertNoOlderData } from './adapters/redis/store/commit-in-format.ts';
import { createRedisStore } from './adapters/redis/store/redis-store.ts';
import type { StorageLocations } from './adapters/s3/location.ts';
import { realClock } from './clock/real-clock.ts';
import type { Keep } from './maintenance/retention/tidy.ts';
import { openStorage } from './open-storage.ts';
import type { InstallationAdmin } from './ports/admin.ts';
import type { Broadcast } from './ports/broadcast.ts';
import type { Rates } from './ports/rates.ts';
import { evicting } from './ports/store/capacity.ts';
import type { Store } from './ports/store/port.ts';
import type { RuntimeParts, SharedParts } from './runtime.ts';
import type { Instrumentations } from './telemetry/instrumentation.ts';
import { measureBlobs } from './telemetry/measured-blobs.ts';
import { readWorkerReports } from './telemetry/worker-reports.ts';

/** A Redis that stores runs, and what becomes of their data. */
export interface RedisLocation extends StorageLocations {
  readonly redisUrl: string;
  readonly prefix?: string;
  /** Format of what is stored; default: the one of this build. Tests set a later one, as if another build ran beside. */
  readonly format?: number;
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
}

/** A location that is open: the parts of its runtime, and what stands behind them. */
export interface OpenLocation {
  readonly parts: RuntimeParts;
  readonly broadcast: Broadcast;
  readonly rates: Rates;
  /** Sets the source of the runs that this process knows, whose state must be in Redis; absent where that is not checked. */
  readonly expectRuns?: (known: () => readonly RunId[]) => void;
  close(): Promise<void>;
}

/** Time within which a Redis that answers also ends an outage, in milliseconds. */
const settledMs = 10_000;

/** Opens the parts of a runtime whose runs live in Redis. */
export async function openRedis(
  { redisUrl, prefix, format, replicas = 0, ...locations }: RedisLocation,
  { report, instrumentation }: { readonly report: Report; readonly instrumentation: Instrumentations },
): Promise<OpenLocation> {
  const { connection, outages } = connectWatched(redisUrl, 'store', prefix);
  const shard = createShard(connection, prefix, format);
  const outageTimes = createOutageTimes();
  const { report: reportTrouble, note } = withoutLostJobs(withoutBrokenConnections(report));
  outages.onOutage(eachOf(reportOutages(report), outageTimes.note, note));
  const activeJobs = new ActiveJobs();
  const broadcast = createRedisBroadcast(shard);
  try {
    const { warnings } = await assertRedis(connection, { probeKey: shard.keys.probe });
    await outages.settled(settledMs);
    const older = assertNoOlderData(shard);
    if (outages.current() === undefined) await older;
    // In an outage, commands wait for its end, and the process starts nevertheless. Until then it refuses older runs one by one.
    else older.catch((error: unknown) => error instanceof RequestError && report(error.message));
    const storage = openStorage(shard, locations, report);
    const blobs = measureBlobs(storage.blobs, instrumentation);
    const store = createRedisStore({ shard, broadcast, blobs, replicas });
    const queue = createBullQueue({
      shard,
      broadcast,
      now: store.now,
      activeJobs,
      skipStalledCheck: true,
      onError: (error) => reportTrouble('trouble in the queue', error),
    });
    const jobs = createBullJobQueues({
      shard,
      broadcast,
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
    const recoverJobs = createJobRecovery(shard, queue.reconcile);
    const unwatch = watchPolicy(store.capacity, report);
    const shared: SharedParts = {
      jobs,
      admin: adminOf({ shard, store, queue, jobs, intake }),
      outages: withEviction(outages, store),
      outageSeconds: outageTimes.seconds,
      activeJobs,
      storage,
      requestCounts: createRequestCounts(shard),
      recoverJobs: async () => recoverJobs([...(await queue.recovered()), ...jobs.recovered, intake.recovered]),
      startLease: leasesIn(shard, broadcast, reportTrouble),
    };
    return {
      parts: {
        clock: realClock,
        store,
        blobs,
        queue,
        limits: createLimits(shard, broadcast),
        intake,
        findings: warnings,
        shared,
      },
      broadcast,
      rates: createRedisRates(shard),
      expectRuns: (known) => outages.expectRuns(known),
      async close() {
        broadcast.close();
        await jobs.close();
        await intake.close();
        await queue.close();
        await store.close();
        unwatch();
        await storage.close();
        connection.disconnect();
      },
    };
  } catch (error) {
    broadcast.close();
    connection.disconnect();
    throw error;
  }
}

const leasesIn =
  (shard: Shard, broadcast: Broadcast, report: Report): SharedParts['startLease'] =>
  (lease) =>
    startLease({
      ...lease,
      shard,
      broadcast,
      onError: (error) => report(`the lease "${lease.name}" could not be renewed; trying again`, error),
    });

interface AdminParts {
  readonly shard: Shard;
  readonly store: Store;
  readonly queue: SharedQueue;
  readonly jobs: SharedJobQueues;
  readonly intake: SharedIntake;
}

const adminOf = ({ shard, store, queue, jobs, intake }: AdminParts): InstallationAdmin => ({
  queueAdmin: queue.admin,
  gauges: () => readGauges(shard),
  diagnoseRedis: () => checkRedis(shard),
  workerReports: (names) => readWorkerReports(store.registry, names),
  queues: async () => [...(await queue.open()).values(), ...jobs.opened(), intake.queue()],
});

const eachOf =
  (...listeners: readonly OnOutage[]): OnOutage =>
  (news) => {
    for (const listen of listeners) listen(news);
  };

/** Adds to the check of outages that Redis may evict runs. */
const withEviction = (outages: Outages, { capacity }: Store): Outages => ({
  current: () => outages.current(),
  bounded: (needs, work) => outages.bounded(needs, work),
  async check(timeoutMs) {
    await outages.check(timeoutMs);
    const room = await capacity();
    if (room.type === 'evicting') throw evicting(room.policy);
  },
});
