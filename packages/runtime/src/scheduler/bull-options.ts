import type { Redis } from 'ioredis';
import type { ActiveJobs } from '../queue/active-jobs.ts';

/** Options of queues of background jobs and of the scheduler. */
export interface BullJobOptions {
  /** Stays open; the caller closes it. */
  readonly connection: Redis;
  readonly prefix?: string;
  /** Counts the jobs in hand; absent: one of its own. */
  readonly activeJobs?: ActiveJobs;
  /** Hears of trouble with Redis. */
  readonly onError: (error: Error) => void;
}
