import type { RunCache } from '../commit/run-cache.ts';
import type { TenantEvents } from '../live/tenant-events.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Store } from '../ports/store/port.ts';

/** Dependencies of replays and forks. */
export interface DescendantContext {
  readonly cache: RunCache;
  readonly store: Store;
  readonly blobs: Blobs;
  readonly tenantEvents: Pick<TenantEvents, 'publish'>;
}
