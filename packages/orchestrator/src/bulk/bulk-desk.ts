import type { BulkOrder, NewBulkOrder } from '@millrace/api';
import { bulkOrderOf, omitUndefined } from '@millrace/api';
import type { Namespace } from '@millrace/runtime';
import type { z } from 'zod';
import type { Api } from '../api.ts';
import { freshSeed } from '../seed.ts';

/** What can be asked of many runs of a tenant. All of it throws RequestError. */
export interface BulkDesk {
  /** Asks it, once for a seed. */
  give(wanted: NewBulkOrder, seed?: string): Promise<z.output<typeof BulkOrder>>;
  get(id: string): Promise<z.output<typeof BulkOrder>>;
}

/** The desk for the bulk orders of a tenant. */
export const bulkDesk = (space: Namespace, { bulk, now }: Pick<Api, 'bulk' | 'now'>): BulkDesk => ({
  async give({ action, filter, reason }, seed = freshSeed()) {
    const createdAt = now();
    // What starts from now on is not among them.
    const until = Math.min(filter.until ?? createdAt + 1, createdAt + 1);
    const wanted = { action, filter: { ...omitUndefined(filter), until }, ...omitUndefined({ reason }) };
    const order = { id: `bulk_${seed}`, ...wanted, createdAt, done: 0, left: 0 };
    // First this: whoever carries it out keeps it as well, so that no crash leaves one that nobody carries out.
    await bulk.give({ tenant: space.tenant, order });
    return bulkOrderOf(await space.bulkOrders.open(order));
  },
  get: async (id) => bulkOrderOf(await space.bulkOrders.find(id)),
});
