import { omitUndefined, ownWebhook, withTenant } from '@millrace/core';
import type { TenantRuntime } from '@millrace/runtime';
import { operation } from '../operation/operation.ts';
import {
  Delivery,
  DeliveryList,
  DeliveryListQuery,
  DeliveryPath,
  deliveryOf,
  MadeWebhook,
  NewWebhook,
  Webhook,
  WebhookList,
  WebhookLogPath,
  WebhookPath,
  WebhookSecret,
  webhookOf,
} from '../schemas/webhook.ts';

export const listWebhooks = operation({
  name: 'webhooks.list',
  method: 'GET',
  path: '/v1/webhooks',
  scope: 'read',
  summary: 'The webhooks of the tenant',
  output: WebhookList,
  run: async ({ tenant }) => ({ body: { data: (await tenant.webhooks.list()).map(webhookOf) } }),
});

export const getWebhook = operation({
  name: 'webhooks.get',
  method: 'GET',
  path: '/v1/webhooks/:id',
  scope: 'read',
  summary: 'A webhook',
  params: WebhookPath,
  output: Webhook,
  run: async ({ tenant }, { id }) => ({ body: webhookOf(await tenant.webhooks.find(id)) }),
});

export const createWebhook = operation({
  name: 'webhooks.create',
  method: 'POST',
  path: '/v1/webhooks',
  scope: 'admin',
  summary: 'Create a webhook for the runs that start from now on',
  body: NewWebhook,
  example: { url: 'https://example.com/millrace', events: ['run.completed', 'run.failed'] },
  output: MadeWebhook,
  status: 201,
  idempotency: 'never',
  async run({ tenant: { tenant, webhooks }, secretOfWebhook, assertReachable }, { url, events, description }) {
    await assertReachable(tenant, url);
    const seal = async (id: string) => (await secretOfWebhook(tenant, id)).seal;
    const webhook = await webhooks.create({ url, events, ...omitUndefined({ description }) }, seal);
    const { secret } = await secretOfWebhook(tenant, webhook.id);
    return {
      body: { ...webhookOf(webhook), secret },
      headers: { 'cache-control': 'no-store', location: `/v1/webhooks/${webhook.id}` },
    };
  },
});

export const deleteWebhook = operation({
  name: 'webhooks.delete',
  method: 'DELETE',
  path: '/v1/webhooks/:id',
  scope: 'admin',
  summary: 'Delete a webhook and its log',
  params: WebhookPath,
  output: Webhook,
  run: async ({ tenant }, { id }) => ({ body: webhookOf(await tenant.webhooks.remove(id)) }),
});

export const getSecretOfRuns = operation({
  name: 'webhooks.secretOfRuns',
  method: 'GET',
  path: '/v1/webhooks/runs/secret',
  scope: 'admin',
  summary: 'The secret that signs deliveries to the webhooks of single runs',
  output: WebhookSecret,
  async run({ tenant: { tenant }, secretOfWebhook }) {
    const { secret } = await secretOfWebhook(tenant, ownWebhook);
    return { body: { secret }, headers: { 'cache-control': 'no-store' } };
  },
});

export const listDeliveries = operation({
  name: 'webhooks.deliveries',
  method: 'GET',
  path: '/v1/webhooks/:id/deliveries',
  scope: 'read',
  summary: 'The deliveries to a webhook, newest first',
  params: WebhookLogPath,
  query: DeliveryListQuery,
  output: DeliveryList,
  async run({ tenant }, { id, limit, cursor = '' }) {
    const found = await (await logOf(tenant, id)).page(cursor, limit + 1);
    const data = found.slice(0, limit).map(deliveryOf);
    return { body: { data, nextCursor: found.length > limit ? (data.at(-1)?.id ?? null) : null } };
  },
});

export const redeliver = operation({
  name: 'webhooks.redeliver',
  method: 'POST',
  path: '/v1/webhooks/:id/deliveries/:did/redeliver',
  scope: 'run',
  summary: 'Repeat a delivery',
  params: DeliveryPath,
  output: Delivery,
  status: 202,
  needs: 'redis',
  async run(context, { id, did }) {
    const { tenant: tenantRuntime } = context;
    const { tenant } = tenantRuntime;
    const { background } = context;
    const log = await logOf(tenantRuntime, id);
    const { run, entry } = await log.find(did);
    await log.update(did, { state: 'pending' });
    await background.webhooks.redeliver({ tenant, webhook: id, run: withTenant(tenant, run), entry, delivery: did });
    return { body: deliveryOf(await log.find(did)) };
  },
});

/** Returns the log of a webhook. Throws RequestError, `WEBHOOK_UNKNOWN`, when there is no such webhook. */
async function logOf(
  { webhooks }: TenantRuntime,
  id: string,
): Promise<ReturnType<TenantRuntime['webhooks']['deliveries']>> {
  if (id !== ownWebhook) await webhooks.find(id);
  return webhooks.deliveries(id);
}
