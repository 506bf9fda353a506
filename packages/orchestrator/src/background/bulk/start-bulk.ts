import type { TenantId } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { BulkAction, JobQueue, JobQueues, RunSummary, Runtime, TenantRuntime } from '@millrace/runtime';
import { createTenantRuntime } from '@millrace/runtime';
import { isTransient } from '../../context/transient.ts';

/** Bulk action to execute. */
export interface BulkJob {
  readonly tenant: TenantId;
  readonly bulk: BulkAction;
}

/** Parts that bulk actions need. */
export interface BulkOptions {
  readonly runtime: Pick<Runtime, 'runs' | 'store'>;
  readonly jobs: JobQueue<BulkJob>;
}

/** Bulk actions that this process executes. */
export interface RunningBulk {
  /** Queues the execution of a bulk action by any process; once for an id. */
  enqueue(job: BulkJob): Promise<void>;
  close(): Promise<void>;
}

const retry = { attempts: 20, delayMs: 500 };
const concurrency = 2;

/** Opens the queue of bulk actions; a process that opens it need not process it. */
export const bulkJobs = (queues: JobQueues): JobQueue<BulkJob> => queues.open<BulkJob>('bulk');

/** Returns the function that queues bulk actions. */
export const createBulkEnqueuer =
  (jobs: JobQueue<BulkJob>): RunningBulk['enqueue'] =>
  (job) =>
    jobs.add([{ id: `${job.tenant}~${job.bulk.id}`, data: job }], retry);

/** Executes bulk actions until it is closed. */
export function startBulk({ runtime, jobs }: BulkOptions): RunningBulk {
  const consumer = jobs.consume(
    async (job, { signal, postpone }) => {
      const tenantRuntime = createTenantRuntime(runtime, job.tenant);
      let bulk = await tenantRuntime.bulkActions.open(job.bulk);
      while (bulk.finishedAt === undefined) {
        // Another process continues.
        if (signal.aborted) return postpone(0);
        bulk = await processPage(tenantRuntime, bulk, runtime.store.now);
      }
    },
    { concurrency },
  );
  return {
    enqueue: createBulkEnqueuer(jobs),
    close: () => consumer.close(),
  };
}

const pageSize = 100;

/*
 * Runs are visited in the order of their list, in which their positions never change, and the position is stored with each
 * page. A process that continues after a crash visits one page again, whose runs ignore the repeated operation.
 */

/** Applies a bulk action to the next page of runs, newest first or as they are named; returns its progress. */
async function processPage(tenantRuntime: TenantRuntime, bulk: BulkAction, now: () => number): Promise<BulkAction> {
  const { runs, place } = bulk.ids === undefined ? await listed(tenantRuntime, bulk) : named(bulk, bulk.ids);
  const outcomes = await Promise.all(runs.map((run) => applyTo(tenantRuntime, bulk, run)));
  const done = outcomes.filter(Boolean).length;
  const further: BulkAction = {
    ...bulk,
    done: bulk.done + done,
    left: bulk.left + outcomes.length - done,
    ...(place ?? { finishedAt: now() }),
  };
  await tenantRuntime.bulkActions.note(further);
  return further;
}

/** Runs of a page, and the place after it; undefined when it was the last. */
interface RunPage {
  readonly runs: readonly string[];
  readonly place: Pick<BulkAction, 'after' | 'processed'> | undefined;
}

async function listed(tenantRuntime: TenantRuntime, bulk: BulkAction): Promise<RunPage> {
  const { filter, after } = bulk;
  const status = bulk.action === 'retry' ? { status: 'failed' as const } : {};
  const { runs, next } = await tenantRuntime.list({ ...filter, ...status, limit: pageSize, ...(after && { after }) });
  return { runs: runs.filter(isAsked(bulk)).map(({ run }) => run), place: next && { after: next } };
}

function named({ processed = 0 }: BulkAction, ids: readonly string[]): RunPage {
  const to = processed + pageSize;
  return { runs: ids.slice(processed, to), place: to < ids.length ? { processed: to } : undefined };
}

const isAsked =
  ({ action }: BulkAction) =>
  ({ finishedAt }: RunSummary): boolean =>
    action === 'retry' || finishedAt === undefined;

/** Applies the operation to one run. Returns true if the run accepted it. */
async function applyTo(tenantRuntime: TenantRuntime, { action, reason }: BulkAction, run: string): Promise<boolean> {
  try {
    await (action === 'retry'
      ? tenantRuntime.run(run).control('retry')
      : tenantRuntime.run(run).cancel(reason ?? 'cancelled with others'));
    return true;
  } catch (error) {
    if (!(error instanceof RequestError) || isTransient(error)) throw error;
    return false;
  }
}
