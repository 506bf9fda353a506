import type { TenantId } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { RunPlace, RunQuery, Store } from '../store/port.ts';

/** The same that is asked of all runs that a list shows. Times are milliseconds since 1970. */
export interface BulkOrder {
  readonly id: string;
  readonly action: 'cancel' | 'retry';
  /** Why; for those that are cancelled. */
  readonly reason?: string | undefined;
  readonly filter: Pick<RunQuery, 'status' | 'workflow' | 'tag' | 'since' | 'until'>;
  readonly createdAt: number;
  /** Absent while it goes on. */
  readonly finishedAt?: number;
  /** Runs that have done it. */
  readonly done: number;
  /** Runs that could not do it any more. */
  readonly left: number;
  /** The last run that was looked at. */
  readonly after?: RunPlace;
}

/** The bulk orders of a tenant. Each is kept for a week after it was last heard of. */
export interface BulkOrders {
  /** Keeps it, unless there is one of its id; gives the one that there is then. */
  open(order: BulkOrder): Promise<BulkOrder>;
  /** Throws RequestError when there is none. */
  find(id: string): Promise<BulkOrder>;
  /** Keeps how far it has come. */
  note(order: BulkOrder): Promise<void>;
}

const keptForMs = 7 * 24 * 60 * 60 * 1000;

/** Bulk orders in the registry of a store. */
export function createBulkOrders({ registry }: Pick<Store, 'registry'>, tenant: TenantId): BulkOrders {
  const nameOf = (id: string): string => `bulk/${tenant}/${id}`;
  return {
    async open(order) {
      const there = await registry.hold(nameOf(order.id), JSON.stringify(order), keptForMs);
      return there === undefined ? order : parsed(there);
    },
    async find(id) {
      const [text] = await registry.held([nameOf(id)]);
      if (text === undefined) throw new RequestError('BULK_UNKNOWN', `There is no bulk order ${id}.`);
      return parsed(text);
    },
    note: (order) => registry.replace(nameOf(order.id), JSON.stringify(order), keptForMs),
  };
}

const parsed = (text: string): BulkOrder => JSON.parse(text) as BulkOrder; // written above
