import type { Client } from '../client.ts';
import type { Delivery, MadeWebhook, NewWebhook, Webhook } from '../generated/types.ts';
import type { Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';

/** Addresses that are told of runs, beside those that single runs are started with. Changes need the scope `admin`. */
export interface WebhooksResource {
  /** Its secret is shown this once. */
  create(wanted: NewWebhook): Promise<MadeWebhook>;
  list(): Promise<readonly Webhook[]>;
  get(id: string): Promise<Webhook>;
  remove(id: string): Promise<Webhook>;
  /** Lists deliveries, newest first; `runs`: those to the webhooks of single runs. */
  deliveries(id: string): Pages<Delivery>;
  /** Sends a delivery once more. */
  redeliver(id: string, delivery: string): Promise<Delivery>;
  /** Returns the secret that messages to the webhooks of single runs are signed with. */
  secretOfRuns(): Promise<string>;
}

/** Makes the methods of webhooks. */
export const createWebhooksResource = (client: Client): WebhooksResource => ({
  create: (wanted) => client.call('webhooks.create', wanted),
  list: async () => (await client.call('webhooks.list', {})).data,
  get: (id) => client.call('webhooks.get', { id }),
  remove: (id) => client.call('webhooks.delete', { id }),
  deliveries: (id) => pagesOf((cursor) => client.call('webhooks.deliveries', { id, cursor })),
  redeliver: (id, delivery) => client.call('webhooks.redeliver', { id, did: delivery }),
  secretOfRuns: async () => (await client.call('webhooks.secretOfRuns', {})).secret,
});
