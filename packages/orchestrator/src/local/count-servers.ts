import type { JobQueues } from '@millrace/runtime';
import { batchJobs } from '../background/batches/start-batches.ts';

/** Returns how many servers carry out batches, schedules and bulk orders. */
export const countServers = (jobs: JobQueues): Promise<number> => batchJobs(jobs).consumers();
