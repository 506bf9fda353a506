import type { RunId, TenantId, WebhookEvent } from '@millrace/core';
import { RequestError, testEvent } from '@millrace/core';
import type { Registry } from '../ports/store/registry.ts';

/** An event that is delivered to a webhook, and its attempts. Times are milliseconds since 1970. */
export interface Delivery {
  /** Id of the delivery; ids sort by descending time of the event. */
  readonly id: string;
  /** Id of the event, the same in each attempt, for each webhook, and after a backup is restored. */
  readonly event: string;
  readonly type: WebhookEvent | typeof testEvent;
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
  /** Adds a delivery that tries the webhook out; `name` is unique among them. */
  addTest(name: string, at: number): Promise<Delivery>;
  find(id: string): Promise<Delivery>;
  /** Updates a delivery; does nothing when it no longer exists. */
  update(id: string, change: Change): Promise<void>;
  /** Behind `after` (`''`: from the start), at most `limit`; with a state, those in it. */
  page(after: string, limit: number, state?: Delivery['state']): Promise<readonly Delivery[]>;
  clear(): Promise<void>;
}

interface Change {
  readonly state: Delivery['state'];
  readonly attempt?: DeliveryAttempt;
}

const kept = 1000;
/** Number of deliveries that are read at once to find those in a state. */
const atOnce = 250;
const keptAttempts = 20;

/** The id of the delivery of an event of a run. */
export const deliveryId = ({ at, run, entry }: { readonly at: number; readonly run: RunId; readonly entry: string }) =>
  `${String(999_999_999_999_999 - Math.trunc(at)).padStart(15, '0')}.${run}.${entry}`;

/** Returns the time of the event of a delivery, in milliseconds since 1970. */
export const deliveryTime = (id: string): number => 999_999_999_999_999 - Number(id.slice(0, 15));

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
  const page = async (after: string, limit: number): Promise<readonly Delivery[]> =>
    (await registry.page(register, after, limit)).map(({ json }) => JSON.parse(json) as Delivery); // written below
  const add = async (delivery: Delivery): Promise<void> => {
    await registry.add(register, delivery.id, JSON.stringify(delivery));
    await registry.trim(register, kept);
  };
  return {
    add,
    async addTest(name, at) {
      const place = { run: `test_${name}`, entry: '0-0' };
      const id = deliveryId({ ...place, at });
      const delivery: Delivery = { id, event: place.run, type: testEvent, ...place, state: 'pending', attempts: [] };
      await add(delivery);
      return delivery;
    },
    async find(id) {
      const delivery = await read(id);
      if (delivery === undefined) throw new RequestError('DELIVERY_UNKNOWN', `There is no delivery ${id} in the log.`);
      return delivery;
    },
    async update(id, { state, attempt }) {
      for (;;) {
        const before = await registry.read(register, id);
        if (before === undefined) return;
        const delivery = JSON.parse(before) as Delivery; // written here
        const attempts = [...delivery.attempts, ...(attempt === undefined ? [] : [attempt])].slice(-keptAttempts);
        const after = JSON.stringify({ ...delivery, state, attempts });
        if (await registry.exchange(register, id, { before, after })) return;
      }
    },
    async page(after, limit, state) {
      if (state === undefined) return page(after, limit);
      const found: Delivery[] = [];
      for (let from = after; found.length < limit; ) {
        const looked = await page(from, atOnce);
        for (const one of looked) if (one.state === state) found.push(one);
        from = looked.at(-1)?.id ?? '';
        if (looked.length < atOnce) break;
      }
      return found.slice(0, limit);
    },
    clear: () => registry.trim(register, 0),
  };
}
