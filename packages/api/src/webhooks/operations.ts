import { omitUndefined, ownWebhook, testEvent, withTenant } from '@millrace/core';
import type { Delivery as Logged, Webhook as Stored, TenantRuntime } from '@millrace/runtime';
import type { Background } from '../operation/background.ts';
import { hasScope } from '../operation/call.ts';
import type { Context } from '../operation/context.ts';
import { operation } from '../operation/operation.ts';
import { cutPage } from '../schemas/page.ts';
import {
  Delivery,
  DeliveryList,
  DeliveryListQuery,
  DeliveryPath,
  deliveryOf,
  MadeWebhook,
  NewWebhook,
  Redelivered,
  Webhook,
  WebhookChange,
  WebhookLine,
  WebhookList,
  WebhookLogPath,
  WebhookPath,
  WebhookSecret,
  webhookForReaders,
  webhookOf,
} from '../schemas/webhook.ts';

export const listWebhooks = operation({
  name: 'webhooks.list',
  method: 'GET',
  path: '/v1/webhooks',
  cli: 'webhooks list',
  scope: 'read',
  summary: 'The webhooks of the tenant',
  output: WebhookList,
  async run(context) {
    const found = await context.tenant.webhooks.list();
    return { body: { data: await Promise.all(found.map((webhook) => lineOf(context, webhook))) } };
  },
});

export const getWebhook = operation({
  name: 'webhooks.get',
  method: 'GET',
  path: '/v1/webhooks/:id',
  scope: 'read',
  summary: 'A webhook',
  params: WebhookPath,
  output: WebhookLine,
  run: async (context, { id }) => ({ body: await lineOf(context, await context.tenant.webhooks.find(id)) }),
});

export const createWebhook = operation({
  name: 'webhooks.create',
  method: 'POST',
  path: '/v1/webhooks',
  cli: 'webhooks create <url> [--events events:list] [--description description]',
  scope: 'admin',
  summary: 'Create a webhook for the runs that start from now on',
  body: NewWebhook,
  example: { url: 'https://example.com/millrace', events: ['run.completed', 'run.failed'] },
  output: MadeWebhook,
  status: 201,
  idempotency: 'never',
  needs: 'redis',
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

export const changeWebhook = operation({
  name: 'webhooks.change',
  method: 'PATCH',
  path: '/v1/webhooks/:id',
  cli: 'webhooks change <id> [--url url] [--events events:list] [--description description]',
  scope: 'admin',
  summary: 'Change a webhook; its secret stays',
  params: WebhookPath,
  body: WebhookChange,
  example: { events: ['run.failed'] },
  output: Webhook,
  needs: 'redis',
  async run({ tenant: { tenant, webhooks }, assertReachable }, { id, ...change }) {
    if (change.url !== undefined) await assertReachable(tenant, change.url);
    return { body: webhookOf(await webhooks.change(id, omitUndefined(change))) };
  },
});

export const testWebhook = operation({
  name: 'webhooks.test',
  method: 'POST',
  path: '/v1/webhooks/:id/test',
  cli: 'webhooks test <id>',
  scope: 'run',
  summary: 'Send a test event to a webhook, once',
  params: WebhookPath,
  output: Delivery,
  status: 202,
  needs: 'redis',
  async run({ tenant: { tenant, webhooks }, background, now, newSeed, seed = newSeed() }, { id }) {
    await webhooks.find(id);
    const delivery = await webhooks.deliveries(id).addTest(seed.slice(0, 24), now());
    const { id: logged, run, entry } = delivery;
    await background.webhooks.enqueue({ tenant, webhook: id, run, entry, delivery: logged, isTest: true });
    return { body: deliveryOf(delivery) };
  },
});

export const deleteWebhook = operation({
  name: 'webhooks.delete',
  method: 'DELETE',
  path: '/v1/webhooks/:id',
  cli: 'webhooks rm <id>',
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
  async run({ tenant }, { id, limit, cursor = '', state }) {
    const found = await (await logOf(tenant, id)).page(cursor, limit + 1, state);
    const { page, nextCursor } = cutPage(found, limit, ({ id }) => id);
    return { body: { data: page.map(deliveryOf), nextCursor } };
  },
});

export const redeliver = operation({
  name: 'webhooks.redeliver',
  method: 'POST',
  path: '/v1/webhooks/:id/deliveries/:did/redeliver',
  cli: 'webhooks redeliver <id> <did>',
  scope: 'run',
  summary: 'Repeat a delivery',
  params: DeliveryPath,
  output: Delivery,
  status: 202,
  needs: 'redis',
  async run({ tenant, background }, { id, did }) {
    const log = await logOf(tenant, id);
    await repeat({ tenant, background }, id, await log.find(did));
    return { body: deliveryOf(await log.find(did)) };
  },
});

export const redeliverFailed = operation({
  name: 'webhooks.redeliverFailed',
  method: 'POST',
  path: '/v1/webhooks/:id/redeliver-failed',
  cli: 'webhooks redeliver-failed <id>',
  scope: 'run',
  summary: 'Repeat all deliveries of a webhook that have failed',
  params: WebhookLogPath,
  output: Redelivered,
  status: 202,
  needs: 'redis',
  async run({ tenant, background }, { id }) {
    const failed = await (await logOf(tenant, id)).page('', mostDeliveries, 'failed');
    for (const delivery of failed) await repeat({ tenant, background }, id, delivery);
    return { body: { redelivered: failed.length } };
  },
});

/** Maximum number of deliveries in a log. */
const mostDeliveries = 1000;

/** Queues a logged delivery again. */
async function repeat(
  { tenant: { tenant, webhooks }, background }: Pick<Context, 'tenant'> & { readonly background: Background },
  webhook: string,
  { id: delivery, type, run, entry }: Logged,
): Promise<void> {
  await webhooks.deliveries(webhook).update(delivery, { state: 'pending' });
  const event = type === testEvent ? { run, entry, isTest: true as const } : { run: withTenant(tenant, run), entry };
  await background.webhooks.enqueue({ tenant, webhook, ...event, delivery });
}

/** Returns a webhook with the newest entry of its log. */
async function lineOf(context: Context, webhook: Stored): Promise<WebhookLine> {
  const [last] = await context.tenant.webhooks.deliveries(webhook.id).page('', 1);
  const shown = hasScope(context, 'admin') ? webhookOf(webhook) : webhookForReaders(webhook);
  return { ...shown, last: last === undefined ? null : deliveryOf(last) };
}

/** Returns the log of a webhook. Throws RequestError, `WEBHOOK_UNKNOWN`, when there is no such webhook. */
async function logOf(
  { webhooks }: TenantRuntime,
  id: string,
): Promise<ReturnType<TenantRuntime['webhooks']['deliveries']>> {
  if (id !== ownWebhook) await webhooks.find(id);
  return webhooks.deliveries(id);
}
