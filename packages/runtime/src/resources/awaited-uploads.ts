import type { TenantId } from '@millrace/core';
import { createBatches, openBatches } from './batches.ts';
import { allSchedules, scheduleOf } from './schedules.ts';

/** Rows of a batch that are read at once. */
const batchSize = 200;

/** Returns the ids of uploads that schedules, or rows of open batches, will use: those of all tenants, or of one. */
export async function awaitedUploads(store: AwaitingStore, tenant?: TenantId): Promise<ReadonlySet<string>> {
  const awaited = new Set<string>();
  const note = (json: string) => {
    for (const [id] of json.matchAll(/file_[0-9a-f]{32}/g)) awaited.add(id);
  };
  for await (const { series, schedule } of allSchedules(store))
    if (tenant === undefined || scheduleOf(series).tenant === tenant) note(JSON.stringify(schedule));
  for await (const { tenant: owner, id } of openBatches(store)) {
    if (tenant !== undefined && owner !== tenant) continue;
    const batches = createBatches(store, owner);
    const batch = await batches.read(id);
    if (batch === undefined) continue;
    note(JSON.stringify(batch));
    for (let first = 1; first <= batch.total; first += batchSize) {
      const rows = Array.from({ length: batchSize }, (_, at) => first + at);
      for (const { json } of await batches.rows.read(batch, rows)) note(json);
    }
  }
  return awaited;
}

/** A store with schedules and batches. */
export type AwaitingStore = Parameters<typeof openBatches>[0];
