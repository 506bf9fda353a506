import type { TenantId } from '@millrace/core';
import type { BulkOrder, JobQueue, JobQueues, Runtime } from '@millrace/runtime';
import { createTenantRuntime } from '@millrace/runtime';
import { processPage } from './process-page.ts';

/** Bulk order to execute. */
export interface BulkJob {
  readonly tenant: TenantId;
  readonly order: BulkOrder;
}

/** Parts that bulk orders need. */
export interface BulkOptions {
  readonly runtime: Pick<Runtime, 'runs' | 'store'>;
  readonly jobs: JobQueue<BulkJob>;
}

/** Bulk orders that this process executes. */
export interface RunningBulk {
  /** Queues the execution of an order by any process; once for an id. */
  enqueue(job: BulkJob): Promise<void>;
  close(): Promise<void>;
}

const retry = { attempts: 20, delayMs: 500 };
const concurrency = 2;

/** Opens the queue of bulk orders; a process that opens it need not process it. */
export const bulkJobs = (queues: JobQueues): JobQueue<BulkJob> => queues.open<BulkJob>('bulk');

/** Returns the function that queues bulk orders. */
export const createBulkEnqueuer =
  (jobs: JobQueue<BulkJob>): RunningBulk['enqueue'] =>
  (job) =>
    jobs.add([{ id: `${job.tenant}~${job.order.id}`, data: job }], retry);

/** Executes bulk orders until it is closed. */
export function startBulk({ runtime, jobs }: BulkOptions): RunningBulk {
  const consumer = jobs.consume(
    async (job, { signal, postpone }) => {
      const tenantRuntime = createTenantRuntime(runtime, job.tenant);
      let order = await tenantRuntime.bulkOrders.open(job.order);
      while (order.finishedAt === undefined) {
        // Another process continues.
        if (signal.aborted) return postpone(0);
        order = await processPage(tenantRuntime, order, runtime.store.now);
      }
    },
    { concurrency },
  );
  return {
    enqueue: createBulkEnqueuer(jobs),
    close: () => consumer.close(),
  };
}
