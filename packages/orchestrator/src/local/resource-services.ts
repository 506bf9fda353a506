import type {
  Batch,
  BatchLine,
  BatchRow,
  BatchRowQueryInput,
  BulkOrder,
  NewBatchInput,
  NewBulkOrderInput,
  NewScheduleInput,
  Operation,
  Run,
  Schedule,
  ScheduleChangeInput,
  ScheduleState,
} from '@millrace/api';
import {
  assertRedis,
  call,
  cancelBatch,
  changeSchedule,
  createBatch,
  createBulkOrder,
  createSchedule,
  deleteBatch,
  deleteSchedule,
  getBatch,
  getBulkOrder,
  getSchedule,
  listBatches,
  listRows,
  listSchedules,
  malformed,
  NewBatch,
  retryFailedRows,
  triggerSchedule,
} from '@millrace/api';
import { readRows } from '../background/batches/row-list.ts';
import { batchJobs } from '../background/batches/start-batches.ts';
import { readTable } from '../background/batches/table.ts';
import type { LocalContextOptions } from './local-context.ts';
import { localContexts } from './local-context.ts';

/** Position at which a list continues, as in the API. */
interface Part {
  readonly cursor?: string | undefined;
}

/** A page of a list. */
interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

/**
 * Operations on the batches, schedules and bulk orders of a tenant as in the API, without the API: the same checks, the
 * same results. An orchestrator must carry out the background work. All of them throw RequestError.
 */
export interface ResourceServices {
  readonly batches: {
    start(wanted: NewBatchInput, table?: { readonly name: string; readonly content: Uint8Array }): Promise<Batch>;
    get(id: string): Promise<Batch>;
    list(part: Part): Promise<Page<BatchLine>>;
    rows(id: string, query: Part & Pick<BatchRowQueryInput, 'status'>): Promise<Page<BatchRow>>;
    cancel(id: string): Promise<Batch>;
    retryFailed(id: string): Promise<Batch>;
    remove(id: string): Promise<BatchLine>;
  };
  readonly schedules: {
    create(wanted: NewScheduleInput): Promise<Schedule>;
    get(id: string): Promise<ScheduleState>;
    list(part: Part): Promise<Page<Schedule>>;
    change(id: string, change: ScheduleChangeInput): Promise<Schedule>;
    remove(id: string): Promise<Schedule>;
    trigger(id: string): Promise<Run>;
  };
  readonly bulk: {
    give(wanted: NewBulkOrderInput): Promise<BulkOrder>;
    get(id: string): Promise<BulkOrder>;
  };
  /** Returns the number of orchestrators. */
  orchestrators(): Promise<number>;
}

/** Maximum number of entries of a page. */
const limit = 200;

/** Opens the services of a tenant in the Redis of an installation. Throws if runs do not live in a Redis. */
export function openResourceServices(options: LocalContextOptions): ResourceServices {
  const { jobs } = options.runtime;
  if (jobs === undefined) throw new Error('Batches and schedules need runs that live in a Redis.');
  const context = localContexts(options)(new AbortController().signal);
  assertRedis(context);
  const ask = <O extends Operation>(operation: O, input: object) => call(operation, context, input);
  return {
    batches: {
      async start(given, table) {
        const wanted = checked(given);
        const rows = table === undefined ? readRows(wanted.rows) : await read(table);
        return (await createBatch(context, wanted, rows)).batch;
      },
      get: (id) => ask(getBatch, { id }),
      list: (part) => ask(listBatches, { limit, ...part }),
      rows: (id, query) => ask(listRows, { id, limit, ...query }),
      cancel: (id) => ask(cancelBatch, { id }),
      retryFailed: (id) => ask(retryFailedRows, { id }),
      remove: (id) => ask(deleteBatch, { id }),
    },
    schedules: {
      create: (wanted) => ask(createSchedule, wanted),
      get: (id) => ask(getSchedule, { id }),
      list: (part) => ask(listSchedules, { limit, ...part }),
      change: (id, change) => ask(changeSchedule, { id, ...change }),
      remove: (id) => ask(deleteSchedule, { id }),
      trigger: (id) => ask(triggerSchedule, { id }),
    },
    bulk: {
      give: (wanted) => ask(createBulkOrder, wanted),
      get: (id) => ask(getBulkOrder, { id }),
    },
    orchestrators: () => batchJobs(jobs).consumers(),
  };
}

const read = async ({ name, content }: { readonly name: string; readonly content: Uint8Array }) =>
  (await readTable({ name, content: Buffer.from(content.buffer, content.byteOffset, content.byteLength) })).rows;

/** Parses the request for a batch as the API does. Throws RequestError. */
function checked(given: NewBatchInput): NewBatch {
  const { success, data, error } = NewBatch.safeParse(given);
  if (success) return data;
  throw malformed(
    'body',
    error.issues.map(({ path, message }) => ({ pointer: `/${path.join('/')}`, detail: message })),
  );
}
