import { activeStatuses, omitUndefined } from '@millrace/core';
import type { BulkOrder as Stored, TenantRuntime } from '@millrace/runtime';
import { operation } from '../operation/operation.ts';
import { BulkList, BulkListQuery, BulkOrder, BulkPath, bulkOrderOf, NewBulkOrder } from './bulk.ts';

export const createBulkOrder = operation({
  name: 'bulk.create',
  method: 'POST',
  path: '/v1/bulk',
  cli: [
    '<action> <filter.ids:each>',
    'bulk <action> [--status filter.status] [--workflow filter.workflow] [--tag filter.tag] [--since filter.since:moment] [--until filter.until:moment]',
  ],
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
    const total = ids?.length ?? (await totalOf(tenant, action, { ...omitUndefined(scope), until }));
    const wanted = { action, filter: { ...omitUndefined(scope), until }, ...omitUndefined({ reason, ids, total }) };
    const order = { id: `bulk_${seed}`, ...wanted, createdAt, done: 0, left: 0 };
    // Queued before it is stored: its execution stores it as well, so no crash leaves an order that is never executed.
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
  summary: 'The progress of a bulk action',
  params: BulkPath,
  output: BulkOrder,
  run: async ({ tenant }, { id }) => ({ body: bulkOrderOf(await tenant.bulkOrders.find(id)) }),
});

export const listBulkOrders = operation({
  name: 'bulk.list',
  method: 'GET',
  path: '/v1/bulk',
  scope: 'read',
  summary: 'The bulk actions of the last week, newest first',
  query: BulkListQuery,
  output: BulkList,
  async run({ tenant }, { limit, cursor = '' }) {
    const { orders, next = null } = await tenant.bulkOrders.list(cursor, limit);
    return { body: { data: orders.map(bulkOrderOf), nextCursor: next } };
  },
});

/** Returns the number of runs that an order with a filter is for; undefined when there are more than can be counted. */
async function totalOf(
  tenant: TenantRuntime,
  action: Stored['action'],
  { status, ...scope }: Stored['filter'],
): Promise<number | undefined> {
  const { byStatus, capped } = await tenant.count(scope);
  if (capped) return undefined;
  const statuses = status === undefined ? statusesFor[action] : [status];
  return statuses.reduce((sum, one) => sum + (byStatus[one] ?? 0), 0);
}

/** Statuses of the runs that an action applies to. */
const statusesFor = { cancel: activeStatuses, retry: ['failed'] } as const;
