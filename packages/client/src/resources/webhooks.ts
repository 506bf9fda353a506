import type { Delivery, MadeWebhook, NewWebhookInput, Webhook } from '@millrace/api';
import type { Http } from '../http/http.ts';
import type { Page, Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';

/** Addresses that are told of runs, beside those that single runs are started with. Changes need the scope `admin`. */
export interface WebhooksResource {
  /** Its secret is shown this once. */
  create(wanted: NewWebhookInput): Promise<MadeWebhook>;
  list(): Promise<readonly Webhook[]>;
  get(id: string): Promise<Webhook>;
  remove(id: string): Promise<Webhook>;
  /** What it was told, newest first; `runs`: what the webhooks of single runs were told. */
  deliveries(id: string): Pages<Delivery>;
  /** Tells it once more. */
  redeliver(id: string, delivery: string): Promise<Delivery>;
  /** What the webhooks of single runs are signed with. */
  secretOfRuns(): Promise<string>;
}

/** The webhooks of a tenant. */
export function createWebhooksResource(http: Http): WebhooksResource {
  const at = (id: string): string => `v1/webhooks/${encodeURIComponent(id)}`;
  return {
    create: (wanted) => http.json('v1/webhooks', { method: 'POST', json: wanted, send: 'once' }),
    list: async () => (await http.json<{ data: Webhook[] }>('v1/webhooks')).data,
    get: (id) => http.json(at(id)),
    remove: (id) => http.json(at(id), { method: 'DELETE' }),
    deliveries: (id) => pagesOf((cursor) => http.json<Page<Delivery>>(`${at(id)}/deliveries`, { query: { cursor } })),
    redeliver: (id, delivery) =>
      http.json(`${at(id)}/deliveries/${encodeURIComponent(delivery)}/redeliver`, { method: 'POST' }),
    secretOfRuns: async () => (await http.json<{ secret: string }>('v1/webhooks/runs/secret')).secret,
  };
}
