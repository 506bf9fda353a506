import type { Client } from '../client.ts';
import type { BulkOrder, NewBulkOrder } from '../generated/types.ts';

/** Orders to many runs at once. */
export interface BulkResource {
  /** Cancels, or retries, all runs that the filter finds. */
  give(wanted: NewBulkOrder & { readonly idempotencyKey?: string }): Promise<BulkOrder>;
  /** Returns how far an order has come. */
  get(id: string): Promise<BulkOrder>;
}

/** Makes the methods of bulk orders. */
export const createBulkResource = (client: Client): BulkResource => ({
  give: ({ idempotencyKey, ...wanted }) => client.call('bulk.create', wanted, { idempotencyKey }),
  get: (id) => client.call('bulk.get', { id }),
});
