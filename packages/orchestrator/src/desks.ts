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
import * as batches from './contracts/batch.ts';
import * as bulk from './contracts/bulk.ts';
import { Run } from './contracts/run.ts';
import * as schedules from './contracts/schedule.ts';
import { malformed } from './refusal.ts';
import { scheduleDesk } from './schedules/schedule-desk.ts';
import { setsTicks } from './schedules/start-schedules.ts';
import type * as shapes from './shapes.ts';
import { reachByTenant } from './webhooks/reach-by-tenant.ts';

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
    start(
      wanted: shapes.NewBatchInput,
      table?: { readonly name: string; readonly content: Uint8Array },
    ): Promise<shapes.Batch>;
    get(id: string): Promise<shapes.Batch>;
    list(part: Part): Promise<Page<shapes.BatchLine>>;
    rows(id: string, query: Part & Pick<shapes.BatchRowQueryInput, 'status'>): Promise<Page<shapes.BatchRow>>;
    cancel(id: string): Promise<shapes.Batch>;
    retryFailed(id: string): Promise<shapes.Batch>;
    remove(id: string): Promise<shapes.BatchLine>;
  };
  readonly schedules: {
    create(wanted: shapes.NewScheduleInput): Promise<shapes.Schedule>;
    get(id: string): Promise<shapes.ScheduleState>;
    list(part: Part): Promise<Page<shapes.Schedule>>;
    change(id: string, change: shapes.ScheduleChangeInput): Promise<shapes.Schedule>;
    remove(id: string): Promise<shapes.Schedule>;
    trigger(id: string): Promise<shapes.Run>;
  };
  readonly bulk: {
    give(wanted: shapes.NewBulkOrderInput): Promise<shapes.BulkOrder>;
    get(id: string): Promise<shapes.BulkOrder>;
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
  const around = { vocabulary, webhookReach: reachByTenant(allow), now: store.now };
  const ofBatches = batchDesk(space, { ...around, batches: { push: pushes(queue, store.now) } });
  const ofSchedules = scheduleDesk(space, { ...around, schedules: setsTicks(errands.openTicks()) });
  const ofBulk = bulkDesk(space, { ...around, bulk: { give: gives(bulkErrands(errands)) } });
  return {
    batches: {
      async start(given, table) {
        const wanted = checked(batches.NewBatch, given);
        const rows = table === undefined ? readRows(wanted.rows) : await read(table);
        return batches.Batch.parse((await ofBatches.make(wanted, rows)).batch);
      },
      get: async (id) => batches.Batch.parse(await ofBatches.get(id)),
      list: async (part) =>
        batches.BatchList.parse(await ofBatches.list(checked(batches.BatchListQuery, { limit, ...part }))),
      rows: async (id, query) =>
        batches.BatchRowList.parse(await ofBatches.rows(id, checked(batches.BatchRowQuery, { limit, ...query }))),
      cancel: async (id) => batches.Batch.parse(await ofBatches.cancel(id)),
      retryFailed: async (id) => batches.Batch.parse(await ofBatches.retryFailed(id)),
      remove: async (id) => batches.BatchLineOfList.parse(await ofBatches.remove(id)),
    },
    schedules: {
      create: async (wanted) =>
        schedules.Schedule.parse(await ofSchedules.create(checked(schedules.NewSchedule, wanted))),
      get: async (id) => schedules.ScheduleState.parse(await ofSchedules.get(id)),
      list: async (part) =>
        schedules.ScheduleList.parse(await ofSchedules.list(checked(schedules.ScheduleListQuery, { limit, ...part }))),
      change: async (id, change) =>
        schedules.Schedule.parse(await ofSchedules.change(id, checked(schedules.ScheduleChange, change))),
      remove: async (id) => schedules.Schedule.parse(await ofSchedules.remove(id)),
      trigger: async (id) => Run.parse(await ofSchedules.trigger(id)),
    },
    bulk: {
      give: async (wanted) => bulk.BulkOrder.parse(await ofBulk.give(checked(bulk.NewBulkOrder, wanted))),
      get: async (id) => bulk.BulkOrder.parse(await ofBulk.get(id)),
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
