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

/** Where a list goes on, as the API has it. */
interface Part {
  readonly cursor?: string | undefined;
}

/** A part of a list. */
interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

/**
 * What the API does with the batches, schedules and bulk orders of a tenant, without the API: the same checks, the same
 * answers. It takes an orchestrator to carry out what follows from it. All of it throws RequestError.
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
  /** How many orchestrators there are. */
  orchestrators(): Promise<number>;
}

/** Entries of a page. */
const limit = 200;

/** Opens the desks of a tenant in the Redis of an installation. Throws RequestError where there is no Redis. */
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
