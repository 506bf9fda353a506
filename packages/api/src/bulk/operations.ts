import { activeStatuses, omitUndefined } from '@millrace/core';
import type { BulkAction as Stored, TenantRuntime } from '@millrace/runtime';
import { operation } from '../operation/operation.ts';
import { BulkAction, BulkList, BulkListQuery, BulkPath, bulkActionOf, NewBulkAction } from './bulk.ts';

export const createBulkAction = operation({
  name: 'bulk.create',
  method: 'POST',
  path: '/v1/bulk',
  cli: [
    '<action> <filter.ids:each>',
    'bulk <action> [--status filter.status] [--workflow filter.workflow] [--tag filter.tag] [--since filter.since:moment] [--until filter.until:moment]',
  ],
  scope: 'run',
  summary: 'Cancel or retry all runs that match a filter, or that are named',
  body: NewBulkAction,
  example: { action: 'retry', filter: { workflow: 'report', status: 'failed' } },
  output: BulkAction,
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
    const bulk = { id: `bulk_${seed}`, ...wanted, createdAt, done: 0, left: 0 };
    // Queued before it is stored: its execution stores it as well, so no crash leaves a bulk action that is never executed.
    await background.bulk.enqueue({ tenant: tenant.tenant, bulk });
    const body = bulkActionOf(await tenant.bulkActions.open(bulk));
    return { body, headers: { location: `/v1/bulk/${body.id}` } };
  },
});

export const getBulkAction = operation({
  name: 'bulk.get',
  method: 'GET',
  path: '/v1/bulk/:id',
  scope: 'read',
  summary: 'The progress of a bulk action',
  params: BulkPath,
  output: BulkAction,
  run: async ({ tenant }, { id }) => ({ body: bulkActionOf(await tenant.bulkActions.find(id)) }),
});

export const listBulkActions = operation({
  name: 'bulk.list',
  method: 'GET',
  path: '/v1/bulk',
  scope: 'read',
  summary: 'The bulk actions of the last week, newest first',
  query: BulkListQuery,
  output: BulkList,
  async run({ tenant }, { limit, cursor = '' }) {
    const { bulkActions, next = null } = await tenant.bulkActions.list(cursor, limit);
    return { body: { data: bulkActions.map(bulkActionOf), nextCursor: next } };
  },
});

/** Returns the number of runs that a bulk action with a filter is for; undefined when there are more than can be counted. */
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
