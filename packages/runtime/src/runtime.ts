import type { ActiveJobs } from './adapters/bullmq/queue/active-jobs.ts';
import type { Limits } from './adapters/bullmq/queue/fair/limits.ts';
import type { LeaseOptions } from './adapters/redis/lease.ts';
import type { Outages } from './adapters/redis/outages/outage-monitor.ts';
import type { OutageTimes } from './adapters/redis/outages/outage-times.ts';
import type { RequestCounts } from './adapters/redis/request-counts.ts';
import type { Clock } from './clock/clock.ts';
import type { Runs } from './contract/runs.ts';
import type { Caretaker } from './maintenance/caretaker.ts';
import type { Storage } from './open-storage.ts';
import type { InstallationAdmin } from './ports/admin.ts';
import type { Blobs } from './ports/blobs.ts';
import type { Intake, JobQueues } from './ports/jobs.ts';
import type { Lease } from './ports/lease.ts';
import type { Queue } from './ports/queue.ts';
import type { Store } from './ports/store/port.ts';
import type { InstalledModels } from './resources/installed-models.ts';
import type { Instrumentations } from './telemetry/instrumentation.ts';

/** Runtime of a process: everything that it needs to start, watch and execute runs. */
export interface Runtime extends RuntimeParts {
  readonly runs: Runs;
  /** The table of models that the installation keeps. */
  readonly models: InstalledModels;
  /** Instrumentation of this process; metrics and traces are added to it. */
  readonly instrumentation: Instrumentations;
  /**
   * Starts the caretaker, which runs until it, or the runtime, is closed. Without `removes`, it keeps data whose
   * retention has ended.
   */
  startCaretaker(options?: { readonly removes?: boolean }): Caretaker;
  close(): Promise<void>;
}

/** Parts of a runtime that depend on where its runs live. */
export interface RuntimeParts {
  /** Clock by which its workers wait; the times of runs come from the store. */
  readonly clock: Clock;
  readonly store: Store;
  readonly blobs: Blobs;
  readonly queue: Queue;
  /** Limits of the activations of tenants and workflows. */
  readonly limits: Limits;
  /** Queue to which other programs add jobs that start runs. */
  readonly intake: Intake;
  /** Warnings about the durability of stored runs. */
  readonly findings: readonly string[];
  /** Absent where runs live in this process only. */
  readonly shared?: SharedParts;
}

/** What the processes of an installation share. */
export interface SharedParts {
  readonly jobs: JobQueues;
  readonly admin: InstallationAdmin;
  readonly outages: Outages;
  /** Times of outages of Redis by their codes. */
  readonly outageSeconds: OutageTimes['seconds'];
  /** Active jobs of this process, which can be stopped from taking more. */
  readonly activeJobs: Pick<ActiveJobs, 'count' | 'stop'>;
  /** Everything that is stored beside Redis. */
  readonly storage: Storage;
  /** Counts of requests that all servers share. */
  readonly requestCounts: RequestCounts;
  /** Gives the jobs of dead workers to others, and corrects the counts of wakes, in all queues. */
  readonly recoverJobs: () => Promise<void>;
  /** Starts to compete with other processes for the lease of one kind of work. */
  readonly startLease: (lease: Pick<LeaseOptions, 'name' | 'leaseMs'>) => Lease;
}
