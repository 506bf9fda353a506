import { RequestError } from '@millrace/core';
import type { BulkOrder, RunSummary, TenantRuntime } from '@millrace/runtime';
import { isTransient } from '../../context/transient.ts';

const pageSize = 100;

/*
 * Runs are gone through as lists show them, which their places never change in, and how far that came is kept with each
 * page. Whoever goes on after a crash looks at one page again, whose runs have done what was asked, and leave it.
 */

/** Asks the next runs of an order, newest first; gives how far it has come then. */
export async function processPage(
  tenantRuntime: TenantRuntime,
  order: BulkOrder,
  now: () => number,
): Promise<BulkOrder> {
  const { filter, after } = order;
  const status = order.action === 'retry' ? { status: 'failed' as const } : {};
  const { runs, next } = await tenantRuntime.list({ ...filter, ...status, limit: pageSize, ...(after && { after }) });
  const outcomes = await Promise.all(runs.filter(isAsked(order)).map((run) => applyTo(tenantRuntime, order, run)));
  const done = outcomes.filter(Boolean).length;
  const further: BulkOrder = {
    ...order,
    done: order.done + done,
    left: order.left + outcomes.length - done,
    ...(next === undefined ? { finishedAt: now() } : { after: next }),
  };
  await tenantRuntime.bulkOrders.note(further);
  return further;
}

const isAsked =
  ({ action }: BulkOrder) =>
  ({ finishedAt }: RunSummary): boolean =>
    action === 'retry' || finishedAt === undefined;

/** Whether it has done it. */
async function applyTo(
  tenantRuntime: TenantRuntime,
  { action, reason }: BulkOrder,
  { run }: RunSummary,
): Promise<boolean> {
  try {
    await (action === 'retry'
      ? tenantRuntime.retry(run)
      : tenantRuntime.cancel(run, reason ?? 'cancelled with others'));
    return true;
  } catch (error) {
    if (!(error instanceof RequestError) || isTransient(error)) throw error;
    return false;
  }
}
