import type { TenantId } from '@millrace/core';
import type { BulkOrder, JobQueue, JobQueues, Runtime } from '@millrace/runtime';
import { createTenantRuntime } from '@millrace/runtime';
import { processPage } from './process-page.ts';

/** A bulk order to carry out, as it was given. */
export interface BulkJob {
  readonly tenant: TenantId;
  readonly order: BulkOrder;
}

/** Parts that bulk orders need. */
export interface BulkOptions {
  readonly runtime: Pick<Runtime, 'runs' | 'store'>;
  readonly jobs: JobQueue<BulkJob>;
}

/** The bulk orders that this process carries out. */
export interface RunningBulk {
  /** Queues an order to be carried out by any process; once for an id. */
  enqueue(job: BulkJob): Promise<void>;
  close(): Promise<void>;
}

const retry = { attempts: 20, delayMs: 500 };
const concurrency = 2;

/** Opens the queue of bulk orders; a process that opens it need not process it. */
export const bulkJobs = (queues: JobQueues): JobQueue<BulkJob> => queues.open<BulkJob>('bulk');

/** Returns the function that queues bulk orders. */
export const createBulkOrderer =
  (jobs: JobQueue<BulkJob>): RunningBulk['enqueue'] =>
  (job) =>
    jobs.add([{ id: `${job.tenant}~${job.order.id}`, data: job }], retry);

/** Carries out bulk orders, until it is closed. */
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
    enqueue: createBulkOrderer(jobs),
    close: () => consumer.close(),
  };
}
