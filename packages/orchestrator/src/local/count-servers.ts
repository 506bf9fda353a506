import type { JobQueues } from '@millrace/runtime';
import { batchJobs } from '../background/batches/start-batches.ts';

/** Returns the number of servers that execute batches, schedules and bulk actions. */
export const countServers = (jobs: JobQueues): Promise<number> => batchJobs(jobs).consumers();
