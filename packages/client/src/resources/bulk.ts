import type { BulkOrder, NewBulkOrderInput } from '@millrace/api';
import type { Http } from '../http/http.ts';

/** What can be asked of many runs at once. */
export interface BulkResource {
  /** Has all runs that the filter finds cancelled, or retried. */
  give(wanted: NewBulkOrderInput & { readonly idempotencyKey?: string }): Promise<BulkOrder>;
  /** How far it has come. */
  get(id: string): Promise<BulkOrder>;
}

/** The bulk orders of a tenant. */
export const createBulkResource = (http: Http): BulkResource => ({
  give: ({ idempotencyKey, ...wanted }) => http.json('v1/bulk', { method: 'POST', json: wanted, idempotencyKey }),
  get: (id) => http.json(`v1/bulk/${encodeURIComponent(id)}`),
});
