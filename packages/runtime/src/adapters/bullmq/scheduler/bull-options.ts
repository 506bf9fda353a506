import type { Broadcast } from '../../../ports/broadcast.ts';
import type { Shard } from '../../redis/connection/shard.ts';
import type { ActiveJobs } from '../queue/active-jobs.ts';

/** Options of queues of background jobs and of the scheduler. */
export interface BullJobOptions {
  readonly shard: Shard;
  /** Announces new series of ticks; absent: they are looked for more often. */
  readonly broadcast?: Broadcast;
  /** Counts the active jobs; absent: a separate counter. */
  readonly activeJobs?: ActiveJobs;
  /** Called with errors of Redis. */
  readonly onError: (error: Error) => void;
}
