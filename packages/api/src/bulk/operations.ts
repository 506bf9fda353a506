import { omitUndefined } from '@millrace/core';
import { operation } from '../operation/operation.ts';
import { BulkOrder, BulkPath, bulkOrderOf, NewBulkOrder } from './bulk.ts';

export const createBulkOrder = operation({
  name: 'bulk.create',
  method: 'POST',
  path: '/v1/bulk',
  scope: 'run',
  summary: 'Cancel or retry all runs that match a filter, or that are named',
  body: NewBulkOrder,
  example: { action: 'retry', filter: { workflow: 'report', status: 'failed' } },
  output: BulkOrder,
  status: 202,
  needs: 'redis',
  async run(context, { action, filter, reason }) {
    const { ids, ...scope } = filter;
    const { tenant, now, newSeed, seed = newSeed() } = context;
    const { background } = context;
    const createdAt = now();
    // Runs that start from now on are not among them.
    const until = Math.min(scope.until ?? createdAt + 1, createdAt + 1);
    const wanted = { action, filter: { ...omitUndefined(scope), until }, ...omitUndefined({ reason, ids }) };
    const order = { id: `bulk_${seed}`, ...wanted, createdAt, done: 0, left: 0 };
    // It is queued first: whoever carries it out stores it as well, so that no crash leaves one that nobody carries out.
    await background.bulk.enqueue({ tenant: tenant.tenant, order });
    const body = bulkOrderOf(await tenant.bulkOrders.open(order));
    return { body, headers: { location: `/v1/bulk/${body.id}` } };
  },
});

export const getBulkOrder = operation({
  name: 'bulk.get',
  method: 'GET',
  path: '/v1/bulk/:id',
  scope: 'read',
  summary: 'The progress of a bulk order',
  params: BulkPath,
  output: BulkOrder,
  run: async ({ tenant }, { id }) => ({ body: bulkOrderOf(await tenant.bulkOrders.find(id)) }),
});
