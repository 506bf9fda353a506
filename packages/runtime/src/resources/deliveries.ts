import type { RunId, TenantId, WebhookEvent } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { Registry } from '../store/registry.ts';

/** An event that is delivered to a webhook, and its attempts. Times are milliseconds since 1970. */
export interface Delivery {
  /** Id of the delivery; ids sort by descending time of the event. */
  readonly id: string;
  /** Id of the event, the same in each attempt and for each webhook. */
  readonly event: string;
  readonly type: WebhookEvent;
  /** Without the tenant's part. */
  readonly run: RunId;
  /** The id of the event in the run's journal. */
  readonly entry: string;
  /** `gone`: the webhook or the run no longer exists. */
  readonly state: 'pending' | 'delivered' | 'failed' | 'gone';
  /** The last attempts. */
  readonly attempts: readonly DeliveryAttempt[];
}

/** One attempt of a delivery. */
export interface DeliveryAttempt {
  readonly at: number;
  readonly tookMs: number;
  /** Status of the HTTP response; absent when there was none. */
  readonly status?: number;
  /** Reason of the failure. */
  readonly error?: string;
}

/** Bounded log of the deliveries to one webhook, newest first. */
export interface Deliveries {
  /** Adds a delivery, unless it exists. */
  add(delivery: Delivery): Promise<void>;
  find(id: string): Promise<Delivery>;
  /** Updates a delivery; does nothing when it no longer exists. */
  update(id: string, change: Change): Promise<void>;
  /** Behind `after` (`''`: from the start), at most `limit`. */
  page(after: string, limit: number): Promise<readonly Delivery[]>;
  clear(): Promise<void>;
}

interface Change {
  readonly state: Delivery['state'];
  readonly attempt?: DeliveryAttempt;
}

const kept = 1000;
const keptAttempts = 20;

/** The id of the delivery of an event of a run. */
export const deliveryId = ({ at, run, entry }: { readonly at: number; readonly run: RunId; readonly entry: string }) =>
  `${String(999_999_999_999_999 - Math.trunc(at)).padStart(15, '0')}.${run}.${entry}`;

/** The log in a registry. */
export function createDeliveries(
  { registry }: { readonly registry: Registry },
  { tenant, webhook }: { readonly tenant: TenantId; readonly webhook: string },
): Deliveries {
  const register = `deliveries/${tenant}/${webhook}`;
  const read = async (id: string): Promise<Delivery | undefined> => {
    const json = await registry.read(register, id);
    return json === undefined ? undefined : (JSON.parse(json) as Delivery); // written below
  };
  return {
    async add(delivery) {
      await registry.add(register, delivery.id, JSON.stringify(delivery));
      await registry.trim(register, kept);
    },
    async find(id) {
      const delivery = await read(id);
      if (delivery === undefined) throw new RequestError('DELIVERY_UNKNOWN', `There is no delivery ${id} in the log.`);
      return delivery;
    },
    async update(id, { state, attempt }) {
      const delivery = await read(id);
      if (delivery === undefined) return;
      const attempts = [...delivery.attempts, ...(attempt === undefined ? [] : [attempt])].slice(-keptAttempts);
      await registry.write(register, id, JSON.stringify({ ...delivery, state, attempts }));
    },
    page: async (after, limit) =>
      (await registry.page(register, after, limit)).map(({ json }) => JSON.parse(json) as Delivery), // written above
    clear: () => registry.trim(register, 0),
  };
}
