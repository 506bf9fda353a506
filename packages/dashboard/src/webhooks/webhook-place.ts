import type { Delivery } from '@millrace/client';

/** Part of a webhook that an address names. */
export interface WebhookPlace {
  readonly state?: Delivery['state'];
}

/** States of deliveries in the order of their tabs. */
export const deliveryStates = [
  'pending',
  'delivered',
  'failed',
  'gone',
] as const satisfies readonly Delivery['state'][];

/** Reads the place from the query of an address; unknown values are ignored. */
export function parseWebhookPlace({ state }: Record<string, unknown>): WebhookPlace {
  const known = deliveryStates.find((one) => one === state);
  return known === undefined ? {} : { state: known };
}
