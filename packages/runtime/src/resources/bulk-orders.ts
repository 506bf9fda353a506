import type { RunId, TenantId } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { RunPlace, RunQuery, Store } from '../store/port.ts';

/** One operation on all runs of a list. Times are milliseconds since 1970. */
export interface BulkOrder {
  readonly id: string;
  readonly action: 'cancel' | 'retry';
  /** Reason, for a cancellation. */
  readonly reason?: string | undefined;
  readonly filter: Pick<RunQuery, 'status' | 'workflow' | 'tag' | 'since' | 'until'>;
  /** The runs that are meant, instead of those that match the filter. */
  readonly ids?: readonly RunId[];
  readonly createdAt: number;
  /** Absent while the order is in progress. */
  readonly finishedAt?: number;
  /** Number of runs that the operation was applied to. */
  readonly done: number;
  /** Number of runs that have refused it. */
  readonly left: number;
  /** Last run that was processed. */
  readonly after?: RunPlace;
  /** Number of the named runs that were processed. */
  readonly processed?: number;
}

/** Bulk orders of a tenant. Each is kept for a week after its last change. */
export interface BulkOrders {
  /** Stores it, unless one with its id exists; returns the stored one. */
  open(order: BulkOrder): Promise<BulkOrder>;
  /** Throws RequestError when there is none. */
  find(id: string): Promise<BulkOrder>;
  /** Stores its progress. */
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
