import type {
  BatchRow,
  BatchRowQueryInput,
  NewBatchInput,
  NewBulkOrderInput,
  NewScheduleInput,
  ScheduleChangeInput,
} from '@millrace/api';
import {
  Batch,
  BatchLine,
  BatchList,
  BatchListQuery,
  BatchRowList,
  BatchRowQuery,
  BulkOrder,
  malformed,
  NewBatch,
  NewBulkOrder,
  NewSchedule,
  Run,
  Schedule,
  ScheduleChange,
  ScheduleList,
  ScheduleListQuery,
  ScheduleState,
} from '@millrace/api';
import { createDirectReader } from '@millrace/catalog';
import type { TenantId, Vocabulary } from '@millrace/core';
import type { Runtime } from '@millrace/runtime';
import { createNamespace } from '@millrace/runtime';
import type { z } from 'zod';
import { batchDesk } from './batches/batch-desk.ts';
import { readRows } from './batches/read-table.ts';
import { batchErrands, pushes } from './batches/start-batches.ts';
import { readTable } from './batches/table.ts';
import { bulkDesk } from './bulk/bulk-desk.ts';
import { bulkErrands, gives } from './bulk/start-bulk.ts';
import { scheduleDesk } from './schedules/schedule-desk.ts';
import { setsTicks } from './schedules/start-schedules.ts';
import { reachableBy, reachByTenant } from './webhooks/reach-by-tenant.ts';

/** What desks work with. */
export interface DesksOptions {
  readonly runtime: Pick<Runtime, 'runs' | 'store' | 'errands'>;
  readonly vocabulary: Vocabulary;
  readonly tenant: TenantId;
  /** What webhooks may reach beside public addresses; absent: this machine, for the default tenant. */
  readonly allow?: readonly string[];
}

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
export interface Desks {
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

/** The desks of a tenant, for who is at the Redis of an installation. */
export function openDesks({ runtime, vocabulary, tenant, allow }: DesksOptions): Desks {
  const { errands, store } = runtime;
  if (errands === undefined) throw new Error('Batches and schedules need runs that live in a Redis.');
  const space = createNamespace(runtime, tenant);
  const queue = batchErrands(errands);
  const around = {
    reader: createDirectReader(vocabulary),
    assertReachable: reachableBy(reachByTenant(allow)),
    now: store.now,
  };
  const ofBatches = batchDesk(space, { ...around, batches: { push: pushes(queue, store.now) } });
  const ofSchedules = scheduleDesk(space, { ...around, schedules: setsTicks(errands.openTicks()) });
  const ofBulk = bulkDesk(space, { ...around, bulk: { give: gives(bulkErrands(errands)) } });
  return {
    batches: {
      async start(given, table) {
        const wanted = checked(NewBatch, given);
        const rows = table === undefined ? readRows(wanted.rows) : await read(table);
        return Batch.parse((await ofBatches.make(wanted, rows)).batch);
      },
      get: async (id) => Batch.parse(await ofBatches.get(id)),
      list: async (part) => BatchList.parse(await ofBatches.list(checked(BatchListQuery, { limit, ...part }))),
      rows: async (id, query) =>
        BatchRowList.parse(await ofBatches.rows(id, checked(BatchRowQuery, { limit, ...query }))),
      cancel: async (id) => Batch.parse(await ofBatches.cancel(id)),
      retryFailed: async (id) => Batch.parse(await ofBatches.retryFailed(id)),
      remove: async (id) => BatchLine.parse(await ofBatches.remove(id)),
    },
    schedules: {
      create: async (wanted) => Schedule.parse(await ofSchedules.create(checked(NewSchedule, wanted))),
      get: async (id) => ScheduleState.parse(await ofSchedules.get(id)),
      list: async (part) => ScheduleList.parse(await ofSchedules.list(checked(ScheduleListQuery, { limit, ...part }))),
      change: async (id, change) => Schedule.parse(await ofSchedules.change(id, checked(ScheduleChange, change))),
      remove: async (id) => Schedule.parse(await ofSchedules.remove(id)),
      trigger: async (id) => Run.parse(await ofSchedules.trigger(id)),
    },
    bulk: {
      give: async (wanted) => BulkOrder.parse(await ofBulk.give(checked(NewBulkOrder, wanted))),
      get: async (id) => BulkOrder.parse(await ofBulk.get(id)),
    },
    orchestrators: () => queue.consumers(),
  };
}

const read = async ({ name, content }: { readonly name: string; readonly content: Uint8Array }) =>
  (await readTable({ name, content: Buffer.from(content.buffer, content.byteOffset, content.byteLength) })).rows;

/** What the API would take of it. Throws RequestError. */
function checked<S extends z.ZodType>(schema: S, value: z.input<S>): z.output<S> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throw malformed(
    'request',
    error.issues.map(({ path, message }) => ({ pointer: ['', ...path].join('/'), detail: message })),
  );
}
