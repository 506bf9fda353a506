import type { ActivationId, TenantId } from '@millrace/core';
import { withTenant } from '@millrace/core';
import type { TaskChange, TenantEvents } from '../live/tenant-events.ts';
import type { Batches } from '../resources/batches.ts';
import type { BulkOrders } from '../resources/bulk-orders.ts';
import type { Claims } from '../runs/claims.ts';

/** Returns the claims of a tenant, whose changes are published. */
export function publishedClaims(claims: Claims, tenantEvents: TenantEvents, tenant: TenantId): Claims {
  const publish = (task: string, change: TaskChange['change']): void => {
    const [run = '', activation] = task.split('.');
    tenantEvents.publish(tenant, `task/${task}`, () => ({
      type: 'task',
      change,
      run: withTenant(tenant, run),
      activation: activation as ActivationId, // a task is named by its run and activation
    }));
  };
  return {
    ...claims,
    async claim(task, assignee, forMs) {
      const claim = await claims.claim(task, assignee, forMs);
      publish(task, 'claimed');
      return claim;
    },
    async release(task, assignee) {
      await claims.release(task, assignee);
      publish(task, 'released');
    },
  };
}

/** Returns the batches of a tenant, whose changes are published. */
export function publishedBatches(batches: Batches, tenantEvents: TenantEvents, tenant: TenantId): Batches {
  const publish = (batch: string): void =>
    tenantEvents.publish(tenant, `batch/${batch}`, () => ({ type: 'batch', batch }));
  return {
    ...batches,
    async create(wanted, lines) {
      const created = await batches.create(wanted, lines);
      if (created !== undefined) publish(created.id);
      return created;
    },
    async change(id, next) {
      const changed = await batches.change(id, next);
      publish(id);
      return changed;
    },
    async remove(id) {
      const removed = await batches.remove(id);
      publish(id);
      return removed;
    },
    rows: {
      ...batches.rows,
      async move(batch, move) {
        const moved = await batches.rows.move(batch, move);
        publish(batch.id);
        return moved;
      },
    },
  };
}

/** Returns the bulk orders of a tenant, whose changes are published. */
export function publishedBulkOrders(orders: BulkOrders, tenantEvents: TenantEvents, tenant: TenantId): BulkOrders {
  const publish = (bulk: string): void => tenantEvents.publish(tenant, `bulk/${bulk}`, () => ({ type: 'bulk', bulk }));
  return {
    ...orders,
    async open(order) {
      const opened = await orders.open(order);
      publish(opened.id);
      return opened;
    },
    async note(order) {
      await orders.note(order);
      publish(order.id);
    },
  };
}
