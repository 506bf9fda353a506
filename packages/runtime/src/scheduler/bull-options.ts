import type { ActiveJobs } from '../queue/active-jobs.ts';
import type { Shard } from '../redis/shard.ts';

/** Options of queues of background jobs and of the scheduler. */
export interface BullJobOptions {
  readonly shard: Shard;
  /** Counts the jobs in hand; absent: one of its own. */
  readonly activeJobs?: ActiveJobs;
  /** Hears of trouble with Redis. */
  readonly onError: (error: Error) => void;
}
