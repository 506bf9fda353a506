import type { Delivery } from '@millrace/client';
import { oneOf, searchOf } from '../kit/values/search.ts';

/** States of deliveries in the order of their tabs. */
export const deliveryStates = [
  'pending',
  'delivered',
  'failed',
  'gone',
] as const satisfies readonly Delivery['state'][];

/** What an address names of a webhook. */
export const parseWebhookSearch = searchOf({
  state: oneOf(...deliveryStates),
});
