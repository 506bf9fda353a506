import type { RunId } from '@millrace/core';
import { hasEnded, tenantOf } from '@millrace/core';
import type { TenantEvents } from '../../live/tenant-events.ts';
import type { ArchiveStore } from '../../ports/archive-store.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { Store } from '../../ports/store/port.ts';
import { noteRemovalOfRow } from '../../resources/batches.ts';
import { archivePieces } from './run-archive.ts';

/** Options of the removal of runs. */
export interface RemovalOptions {
  readonly store: Store;
  readonly blobs: Blobs;
  readonly tenantEvents: TenantEvents;
  /** Store in which each run but temporary ones is archived before it is removed; absent: none is archived. */
  readonly archive?: ArchiveStore | undefined;
}

/** Outcome of the removal of a run. */
export type Removal = 'removed' | 'absent' | 'live';

/**
 * Removes an ended run, and archives it first if there is a store for that, and the run is not temporary. A crash before its removal leaves the
 * run unchanged, to be removed again; a crash after it leaves at most blobs that are marked as discarded, see {@link
 * sweepBlobs}.
 */
export async function removeRun(run: RunId, options: RemovalOptions): Promise<Removal> {
  const { store, blobs, archive, tenantEvents } = options;
  const loaded = await store.load(run);
  const record = loaded?.state.get('run');
  if (loaded === undefined || record === undefined) return 'absent';
  if (!hasEnded(record)) return 'live';
  const { expiresAt, batch } = loaded.state.get('origin') ?? {};
  if (expiresAt === undefined) await archive?.put(run, archivePieces(run, { store, blobs, state: loaded.state }));
  if (batch !== undefined) await noteRemovalOfRow(store, tenantOf(run), batch);
  if (await store.retention.remove(run, loaded)) {
    await store.stored.forget(run);
    tenantEvents.publish(tenantOf(run), `run/${run}`, () => ({ type: 'removed', run }));
    return 'removed';
  }
  // It was resumed meanwhile, or another process has removed it.
  return (await store.load(run)) === undefined ? 'absent' : 'live';
}

const batchSize = 100;

/** Deletes the blobs of removed runs. */
export async function sweepBlobs({ store, blobs }: Pick<RemovalOptions, 'store' | 'blobs'>): Promise<void> {
  for (;;) {
    const digests = await store.retention.discarded(batchSize);
    if (digests.length === 0) return;
    await Promise.all(digests.map((digest) => blobs.delete(digest)));
    await store.retention.deleted(digests);
  }
}
