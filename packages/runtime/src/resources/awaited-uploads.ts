import type { TenantId } from '@millrace/core';
import { createBatches, openBatches } from './batches.ts';
import { allSchedules } from './schedules.ts';

/** Rows of a batch that are read at once. */
const batchSize = 200;

/** Returns the ids of uploads that schedules, or rows of open batches, will use: those of all tenants, or of one. */
export async function awaitedUploads(store: AwaitingStore, tenant?: TenantId): Promise<ReadonlySet<string>> {
  const awaited = new Set<string>();
  for await (const json of awaitingTexts(store, tenant))
    for (const [id] of json.matchAll(/file_[0-9a-f]{32}/g)) awaited.add(id);
  return awaited;
}

/** Returns whether a schedule, or a row of an open batch, of a tenant will use an upload. */
export async function isAwaited(store: AwaitingStore, tenant: TenantId, id: string): Promise<boolean> {
  for await (const json of awaitingTexts(store, tenant)) if (json.includes(id)) return true;
  return false;
}

/** Yields schedules, open batches and the rows of these as JSON. */
async function* awaitingTexts(store: AwaitingStore, tenant: TenantId | undefined): AsyncGenerator<string> {
  for await (const { schedule } of allSchedules(store, tenant)) yield JSON.stringify(schedule);
  for await (const { tenant: owner, id } of openBatches(store, tenant)) {
    const batches = createBatches(store, owner);
    const batch = await batches.read(id);
    if (batch === undefined) continue;
    yield JSON.stringify(batch);
    for (let first = 1; first <= batch.total; first += batchSize) {
      const rows = Array.from({ length: batchSize }, (_, at) => first + at);
      for (const { json } of await batches.rows.read(batch, rows)) yield json;
    }
  }
}

/** A store with schedules and batches. */
export type AwaitingStore = Parameters<typeof openBatches>[0];
