import type { StartContext } from '@millrace/api';
import type { TenantId } from '@millrace/core';
import { tenantOf, withoutTenant } from '@millrace/core';
import type { JobQueue, JobQueues, OutboxEntry, Runtime } from '@millrace/runtime';
import { createTenantRuntime, KeyedMutex, openBatches } from '@millrace/runtime';
import type { Logger } from 'pino';
import type { AdvanceOptions } from './advance.ts';
import { advance, settle, settleRunning } from './advance.ts';
import { rowsOfRun } from './run-of-row.ts';

/** A batch that must be advanced. */
export interface BatchJob {
  readonly tenant: TenantId;
  readonly id: string;
}

/** Parts that advancing batches needs. */
export interface BatchesOptions extends Omit<StartContext, 'tenant'> {
  readonly runtime: Pick<Runtime, 'runs' | 'store'>;
  readonly jobs: JobQueue<BatchJob>;
  readonly log: Logger;
}

/** The batches that this process advances. */
export interface RunningBatches {
  /** Queues a batch to be advanced soon, by any process. */
  push(batch: BatchJob): Promise<void>;
  /** Records the end of a row's run, and starts rows that may start then. */
  note(entry: OutboxEntry): Promise<void>;
  close(): Promise<void>;
}

const retry = { attempts: 20, delayMs: 500 };
const concurrency = 8;

/** Opens the queue of batches; a process that opens it need not process it. */
export const batchJobs = (queues: JobQueues): JobQueue<BatchJob> => queues.open<BatchJob>('batches');

/** Returns the function that queues a batch to be advanced. */
export const createBatchEnqueuer =
  (jobs: JobQueue<BatchJob>, now: () => number): RunningBatches['push'] =>
  ({ tenant, id }) =>
    jobs.add([{ id: `${tenant}~${id}.${now()}`, data: { tenant, id } }], retry);

/** Starts the rows of batches as others end, until it is closed. */
export function startBatches(options: BatchesOptions): RunningBatches {
  const { jobs, runtime, log } = options;
  const advances = new CoalescedAdvances((batch) => advance(advanceOptionsOf(options, batch), batch.id));
  const consumer = jobs.consume(
    async (batch) => {
      await settleRunning(advanceOptionsOf(options, batch), batch.id);
      await advances.on(batch);
    },
    { concurrency },
  );
  const push = createBatchEnqueuer(jobs, runtime.store.now);
  const repaired = repair().catch((error: unknown) =>
    log.warn({ err: error }, 'batches could not be checked for work after a crash'),
  );
  return {
    push,
    async note({ run }) {
      const there = await runtime.runs.refresh(run);
      // The state of a run that was removed no longer names its batch.
      const rows = there === undefined ? rowsOfRun(withoutTenant(run)) : [there.state.get('origin')?.batch];
      for (const row of rows) if (row !== undefined) await ended({ tenant: tenantOf(run), id: row.batch }, row.row);
    },
    async close() {
      await repaired;
      await consumer.close();
    },
  };

  async function ended(job: BatchJob, row: number): Promise<void> {
    const advance = advanceOptionsOf(options, job);
    const batch = await advance.batches.read(job.id);
    if (batch === undefined) return;
    await settle(advance, batch, row);
    await advances.on(job);
  }

  /** Queues batches whose process crashed between writing and queueing them; done when a process starts. */
  async function repair(): Promise<void> {
    for await (const batch of openBatches(runtime.store)) await push(batch);
  }
}

function advanceOptionsOf(
  { runtime, jobs: _queue, log: _log, ...asking }: BatchesOptions,
  batch: BatchJob,
): AdvanceOptions {
  const tenant = createTenantRuntime(runtime, batch.tenant);
  return { start: { ...asking, tenant }, batches: tenant.batches, now: () => runtime.store.now() };
}

/** Advances each batch in one call at a time; requests during a call lead to one further call. */
class CoalescedAdvances {
  readonly #mutex = new KeyedMutex();
  readonly #waiting = new Map<string, Promise<void>>();
  readonly #advance: (batch: BatchJob) => Promise<void>;

  constructor(advance: (batch: BatchJob) => Promise<void>) {
    this.#advance = advance;
  }

  on(batch: BatchJob): Promise<void> {
    const key = `${batch.tenant}~${batch.id}`;
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) return waiting;
    const next = this.#mutex.run(key, () => {
      this.#waiting.delete(key);
      return this.#advance(batch);
    });
    this.#waiting.set(key, next);
    return next;
  }
}

/** Returns the number of servers that execute batches, schedules and bulk actions. */
export const countServers = (jobs: JobQueues): Promise<number> => batchJobs(jobs).consumers();
