import type { Client, RequestOptions } from '../client.ts';
import type { Delivery, MadeWebhook, NewWebhook, Webhook } from '../generated/schemas.ts';
import type { Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';

/** Addresses that are told of runs, beside those that single runs are started with. Changes need the scope `admin`. */
export interface WebhooksResource {
  /** Its secret is shown this once. */
  create(wanted: NewWebhook, options?: RequestOptions): Promise<MadeWebhook>;
  list(options?: RequestOptions): Promise<readonly Webhook[]>;
  get(id: string, options?: RequestOptions): Promise<Webhook>;
  remove(id: string, options?: RequestOptions): Promise<Webhook>;
  /** Lists deliveries, newest first; `runs`: those to the webhooks of single runs. */
  deliveries(id: string, options?: RequestOptions): Pages<Delivery>;
  /** Sends a delivery once more. */
  redeliver(id: string, delivery: string, options?: RequestOptions): Promise<Delivery>;
  /** Returns the secret that messages to the webhooks of single runs are signed with. */
  secretOfRuns(options?: RequestOptions): Promise<string>;
}

/** Makes the methods of webhooks. */
export const createWebhooksResource = (client: Client): WebhooksResource => ({
  create: (wanted, options) => client.call('webhooks.create', wanted, options),
  list: async (options) => (await client.call('webhooks.list', {}, options)).data,
  get: (id, options) => client.call('webhooks.get', { id }, options),
  remove: (id, options) => client.call('webhooks.delete', { id }, options),
  deliveries: (id, options) => pagesOf((cursor) => client.call('webhooks.deliveries', { id, cursor }, options)),
  redeliver: (id, delivery, options) => client.call('webhooks.redeliver', { id, did: delivery }, options),
  secretOfRuns: async (options) => (await client.call('webhooks.secretOfRuns', {}, options)).secret,
});
