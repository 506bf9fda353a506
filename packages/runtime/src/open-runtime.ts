import type { RunLimits, Vocabulary } from '@millrace/core';
import { defaultRunLimits, omitUndefined } from '@millrace/core';
import type { ActiveJobs } from './adapters/bullmq/queue/active-jobs.ts';
import type { Limits } from './adapters/bullmq/queue/fair/limits.ts';
import { unlimited } from './adapters/bullmq/queue/fair/limits.ts';
import { createInlineQueue } from './adapters/memory/inline-queue.ts';
import { createLocalRates } from './adapters/memory/local-rates.ts';
import { createMemoryBlobs } from './adapters/memory/memory-blobs.ts';
import { noIntake } from './adapters/memory/no-intake.ts';
import { createMemoryStore } from './adapters/memory/store/memory-store.ts';
import type { Report } from './adapters/redis/connection/report.ts';
import { atMostOnceASecond, withoutOutages } from './adapters/redis/connection/report.ts';
import type { Outages } from './adapters/redis/outages/outage-monitor.ts';
import type { OutageTimes } from './adapters/redis/outages/outage-times.ts';
import type { RequestCounts } from './adapters/redis/request-counts.ts';
import { choresOf } from './chores.ts';
import type { Runs } from './contract/runs.ts';
import type { Caretaker } from './maintenance/caretaker.ts';
import { startCaretaker } from './maintenance/caretaker.ts';
import type { RedisLocation, RuntimeBase, StartLease } from './open-redis.ts';
import { openRedis } from './open-redis.ts';
import type { Storage } from './open-storage.ts';
import type { InstallationAdmin } from './ports/admin.ts';
import type { Blobs } from './ports/blobs.ts';
import { createLocalBroadcast } from './ports/broadcast.ts';
import type { Intake } from './ports/intake.ts';
import type { JobQueues } from './ports/jobs.ts';
import { agendaLease } from './ports/lease.ts';
import type { Queue } from './ports/queue.ts';
import type { Store } from './ports/store/port.ts';
import { createRuns } from './runs/runs.ts';
import { Instrumentations } from './telemetry/instrumentation.ts';

/** Location of runs: a Redis, or this process only. */
export type RuntimeLocation = (
  | RedisLocation
  /** `now` gives milliseconds since 1970 in place of the process's clock. */
  | { readonly local: true; readonly now?: () => number }
) & {
  /** Limits of what one run may contain; absent parts have their defaults. */
  readonly limits?: Partial<RunLimits>;
};

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
  /** Times of outages of Redis by their codes; absent where runs live in this process only. */
  readonly outageSeconds?: OutageTimes['seconds'];
  /** Active jobs of this process, which can be stopped from taking more; absent where there are no jobs. */
  readonly activeJobs?: Pick<ActiveJobs, 'count' | 'stop'>;
  /** Warnings about the durability of stored runs. */
  readonly findings: readonly string[];
  /** Everything that is stored beside Redis; absent where runs live in this process only. */
  readonly storage?: Pick<Storage, 'check' | 'copyFrom'>;
  /** Counts of requests that all servers share; absent where runs live in this process only. */
  readonly requestCounts?: RequestCounts;
  /** Starts to compete for a lease; absent where runs live in this process only. */
  readonly startLease?: StartLease;
  /**
   * Starts the caretaker, which runs until it, or the runtime, is closed. Without `removes`, it keeps data whose
   * retention has ended.
   */
  startCaretaker(options?: { readonly removes?: boolean }): Caretaker;
  close(): Promise<void>;
}

/** Opens the runtime. Throws RequestError when Redis cannot be reached or may lose runs silently. */
export async function openRuntime(where: RuntimeLocation, vocabulary: Vocabulary, logReport: Report): Promise<Runtime> {
  const report = withoutOutages(atMostOnceASecond(logReport));
  const instrumentation = new Instrumentations();
  const base = 'local' in where ? openLocal(where, report) : await openRedis(where, { report, instrumentation });
  const { store, blobs, queue, broadcast, rates } = base;
  const { journalWindow, keep, keepFilesMs } = 'local' in where ? noLimits : where;
  const runs = createRuns({
    instrumentation,
    store,
    blobs,
    queue,
    vocabulary,
    report,
    broadcast,
    limits: { ...defaultRunLimits, ...where.limits },
    journalWindow,
    archive: base.storage?.archive,
    expectRuns: base.expectRuns,
    rates,
  });
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
    outageSeconds: base.outageSeconds,
    activeJobs: base.activeJobs,
    findings: base.findings,
    storage: base.storage,
    startLease: base.startLease,
    requestCounts: base.requestCounts,
    startCaretaker({ removes = true } = {}) {
      const lease = base.startLease?.({ name: agendaLease });
      const caretaker = startCaretaker({
        store,
        queue,
        runs,
        report,
        lease,
        chores: choresOf({ ...base, runs, keep, keepFilesMs, report, lease, removes }),
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

/** Opens a runtime whose runs live in this process only and end with it. */
const noLimits: Pick<RedisLocation, 'journalWindow' | 'keep' | 'keepFilesMs'> = {};

function openLocal({ now }: Extract<RuntimeLocation, { local: true }>, report: Report): RuntimeBase {
  const store = createMemoryStore(now === undefined ? {} : { now });
  return {
    store,
    rates: createLocalRates(() => store.now()),
    blobs: createMemoryBlobs(),
    queue: createInlineQueue({ onError: (error) => report('an activation could not be executed', error) }),
    limits: unlimited,
    intake: noIntake,
    broadcast: createLocalBroadcast(),
    findings: ['Runs live in this process only: nothing survives it.'],
    disconnect: async () => {},
  };
}
