import type { TenantId } from '@millrace/core';
import type { BulkOrder, JobQueue, JobQueues, Runtime } from '@millrace/runtime';
import { createTenantRuntime } from '@millrace/runtime';
import { processPage } from './process-page.ts';

/** A bulk order that is to be carried out, as it was given. */
export interface BulkJob {
  readonly tenant: TenantId;
  readonly order: BulkOrder;
}

/** What bulk orders are carried out with. */
export interface BulkOptions {
  readonly runtime: Pick<Runtime, 'runs' | 'store'>;
  readonly jobs: JobQueue<BulkJob>;
}

/** Bulk orders at work in this process. */
export interface RunningBulk {
  /** Has an order carried out, by whichever process; once for an id. */
  enqueue(job: BulkJob): Promise<void>;
  close(): Promise<void>;
}

const retry = { attempts: 20, delayMs: 500 };
const concurrency = 2;

/** The errands of bulk orders; whoever opens them need not carry them out. */
export const bulkJobs = (queues: JobQueues): JobQueue<BulkJob> => queues.open<BulkJob>('bulk');

/** Has orders carried out, by whichever process does. */
export const createBulkOrderer =
  (jobs: JobQueue<BulkJob>): RunningBulk['enqueue'] =>
  (job) =>
    jobs.add([{ id: `${job.tenant}~${job.order.id}`, data: job }], retry);

/** Carries out bulk orders, until it is closed. */
export function startBulk({ runtime, jobs }: BulkOptions): RunningBulk {
  const consumer = jobs.consume(
    async ({ tenant, order: queued }, { signal, postpone: later }) => {
      const tenantRuntime = createTenantRuntime(runtime, tenant);
      let order = await tenantRuntime.bulkOrders.open(queued);
      while (order.finishedAt === undefined) {
        // Another process goes on.
        if (signal.aborted) return later(0);
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
