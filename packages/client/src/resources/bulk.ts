import type { Client, RequestOptions } from '../client.ts';
import type { BulkOrder, NewBulkOrder } from '../generated/schemas.ts';
import type { Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';

/** Bulk orders: one action on many runs. */
export interface BulkResource {
  /** Cancels or retries all runs that match a filter. */
  give(wanted: NewBulkOrder & { readonly idempotencyKey?: string } & RequestOptions): Promise<BulkOrder>;
  /** Returns the progress of an order. */
  get(id: string, options?: RequestOptions): Promise<BulkOrder>;
  /** Lists the orders of the last week, newest first. */
  list(options?: RequestOptions): Pages<BulkOrder>;
}

/** Returns the methods of bulk orders. */
export const createBulkResource = (client: Client): BulkResource => ({
  give: ({ idempotencyKey, signal, ...wanted }) => client.call('bulk.create', wanted, { idempotencyKey, signal }),
  get: (id, options) => client.call('bulk.get', { id }, options),
  list: (options) => pagesOf((cursor) => client.call('bulk.list', { cursor }, options)),
});
