import type { Client, OperationInput, PageOptions, RequestOptions } from '../client.ts';
import type { Delivery, MadeWebhook, NewWebhook, Webhook, WebhookChange, WebhookLine } from '../generated/schemas.ts';
import type { Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';

/** Filter of a list of deliveries. */
export type DeliveryQuery = Pick<OperationInput<'webhooks.deliveries'>, 'state'>;

/** Webhooks of a tenant, besides those of single runs. Changes need the scope `admin`. */
export interface WebhooksResource {
  /** Creates a webhook. Only this response contains its secret. */
  create(wanted: NewWebhook, options?: RequestOptions): Promise<MadeWebhook>;
  /** Lists webhooks, each with its newest delivery. */
  list(options?: RequestOptions): Promise<readonly WebhookLine[]>;
  get(id: string, options?: RequestOptions): Promise<WebhookLine>;
  /** Changes some properties of a webhook, and keeps its secret. */
  change(id: string, change: WebhookChange, options?: RequestOptions): Promise<Webhook>;
  /** Sends a test event once; the list of deliveries shows the outcome. */
  test(id: string, options?: RequestOptions): Promise<Delivery>;
  remove(id: string, options?: RequestOptions): Promise<Webhook>;
  /** Lists the deliveries of a webhook, newest first; with `runs` as its id, those of single runs. */
  deliveries(id: string, query?: DeliveryQuery, options?: PageOptions): Pages<Delivery>;
  /** Repeats a delivery. */
  redeliver(id: string, delivery: string, options?: RequestOptions): Promise<Delivery>;
  /** Repeats all failed deliveries. Returns their number. */
  redeliverFailed(id: string, options?: RequestOptions): Promise<number>;
  /** Returns the secret that signs messages to the webhooks of single runs. */
  secretOfRuns(options?: RequestOptions): Promise<string>;
}

/** Returns the methods of webhooks. */
export const createWebhooksResource = (client: Client): WebhooksResource => ({
  create: (wanted, options) => client.call('webhooks.create', wanted, options),
  list: async (options) => (await client.call('webhooks.list', {}, options)).data,
  get: (id, options) => client.call('webhooks.get', { id }, options),
  remove: (id, options) => client.call('webhooks.delete', { id }, options),
  change: (id, change, options) => client.call('webhooks.change', { id, ...change }, options),
  test: (id, options) => client.call('webhooks.test', { id }, options),
  deliveries: (id, query, { limit, ...options } = {}) =>
    pagesOf((cursor) => client.call('webhooks.deliveries', { id, ...query, cursor, limit }, options)),
  redeliver: (id, delivery, options) => client.call('webhooks.redeliver', { id, did: delivery }, options),
  redeliverFailed: async (id, options) => (await client.call('webhooks.redeliverFailed', { id }, options)).redelivered,
  secretOfRuns: async (options) => (await client.call('webhooks.secretOfRuns', {}, options)).secret,
});
