import {
  Delivery,
  DeliveryList,
  DeliveryListQuery,
  DeliveryPath,
  deliveryOf,
  MadeWebhook,
  NewWebhook,
  omitUndefined,
  problems,
  Webhook,
  WebhookList,
  WebhookLogPath,
  WebhookPath,
  WebhookSecret,
  webhookOf,
} from '@millrace/api';
import { ownedBy, ownWebhook } from '@millrace/core';
import { assertReachable } from '@millrace/runtime';
import type { Api } from '../api.ts';
import type { Server } from '../server.ts';

/** Who is told of the caller's runs, and what became of it. */
export function addWebhookRoutes(server: Server, api: Api): void {
  addReads(server);
  addChanges(server, api);
  addLog(server, api);
}

function addReads(server: Server): void {
  server.get(
    '/v1/webhooks',
    {
      config: { demand: 'read' },
      schema: { summary: 'The webhooks of the tenant', response: { 200: WebhookList, ...problems } },
    },
    async ({ caller: { space } }) => ({ data: (await space.webhooks.list()).map(webhookOf) }),
  );
  server.get(
    '/v1/webhooks/:id',
    {
      config: { demand: 'read' },
      schema: { summary: 'A webhook', params: WebhookPath, response: { 200: Webhook, ...problems } },
    },
    async ({ caller: { space }, params: { id } }) => webhookOf(await space.webhooks.find(id)),
  );
}

function addChanges(server: Server, { sealing, webhookReach }: Api): void {
  server.post(
    '/v1/webhooks',
    {
      config: { demand: 'admin', replay: 'never' },
      schema: {
        summary: 'Tell an address of all runs that start from now on',
        body: NewWebhook,
        response: { 201: MadeWebhook, ...problems },
      },
    },
    async ({ caller: { space }, body: { url, events, description } }, reply) => {
      await assertReachable(webhookReach(space.tenant), url);
      const seal = async (id: string) => (await sealing(space.tenant, id)).seal;
      const webhook = await space.webhooks.create({ url, events, ...omitUndefined({ description }) }, seal);
      const { secret } = await sealing(space.tenant, webhook.id);
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .header('location', `/v1/webhooks/${webhook.id}`)
        .send({ ...webhookOf(webhook), secret });
    },
  );
  server.delete(
    '/v1/webhooks/:id',
    {
      config: { demand: 'admin' },
      schema: {
        summary: 'Tell a webhook nothing any more, and forget its log',
        params: WebhookPath,
        response: { 200: Webhook, ...problems },
      },
    },
    async ({ caller: { space }, params: { id } }) => webhookOf(await space.webhooks.remove(id)),
  );
  server.get(
    '/v1/webhooks/runs/secret',
    {
      config: { demand: 'admin' },
      schema: {
        summary: 'What the webhooks of single runs are signed with',
        response: { 200: WebhookSecret, ...problems },
      },
    },
    async ({ caller: { space } }, reply) =>
      reply.header('cache-control', 'no-store').send({ secret: (await sealing(space.tenant, ownWebhook)).secret }),
  );
}

function addLog(server: Server, { webhooks }: Api): void {
  server.get(
    '/v1/webhooks/:id/deliveries',
    {
      config: { demand: 'read' },
      schema: {
        summary: 'What a webhook was told, newest first',
        params: WebhookLogPath,
        querystring: DeliveryListQuery,
        response: { 200: DeliveryList, ...problems },
      },
    },
    async ({ caller: { space }, params: { id }, query: { limit, cursor = '' } }) => {
      if (id !== ownWebhook) await space.webhooks.find(id);
      const found = await space.webhooks.deliveries(id).page(cursor, limit + 1);
      const data = found.slice(0, limit).map(deliveryOf);
      return { data, nextCursor: found.length > limit ? (data.at(-1)?.id ?? null) : null };
    },
  );
  server.post(
    '/v1/webhooks/:id/deliveries/:did/redeliver',
    {
      config: { demand: 'run' },
      schema: { summary: 'Tell a webhook once more', params: DeliveryPath, response: { 202: Delivery, ...problems } },
    },
    async ({ caller: { space }, params: { id, did } }, reply) => {
      if (id !== ownWebhook) await space.webhooks.find(id);
      const log = space.webhooks.deliveries(id);
      const { run, entry } = await log.find(did);
      await log.update(did, { state: 'pending' });
      const { tenant } = space;
      await webhooks.redeliver({ tenant, webhook: id, run: ownedBy(tenant, run), entry, delivery: did });
      return reply.code(202).send(deliveryOf(await log.find(did)));
    },
  );
}
