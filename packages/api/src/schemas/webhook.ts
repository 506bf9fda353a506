import { holdsCredentials, omitUndefined, ownWebhook, publicAddress, testEvent, webhookEvents } from '@millrace/core';
import type { Delivery as Logged, Webhook as Stored } from '@millrace/runtime';
import { z } from 'zod';
import { PageLimit, pageOf } from './page.ts';

const Events = z.array(z.enum(webhookEvents)).max(20);

/** Address of a webhook. */
const Address = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(2000)
  .refine(
    (url) => !holdsCredentials(url),
    'must hold no user name or password: its receiver knows by the signature who speaks',
  );

/** Schema of a new webhook. */
export const NewWebhook = z
  .strictObject({
    url: Address.describe('Address that receives a POST for each event.'),
    events: Events.default([]).describe('Types of delivered events; empty: all.'),
    description: z.string().max(200).optional().describe('Description for people.'),
  })
  .meta({ id: 'NewWebhook' });
/** Schema of a change of a webhook. */
export const WebhookChange = z
  .strictObject({
    url: NewWebhook.shape.url.optional(),
    events: Events.optional().describe('Types of delivered events; empty: all.'),
    description: NewWebhook.shape.description,
  })
  .meta({ id: 'WebhookChange' });

/** The webhook of one run. */
export const RunWebhook = z
  .strictObject({
    url: Address,
    events: Events.min(1).optional().describe('Types of delivered events; absent: all.'),
  })
  .describe('Webhook of this run only, signed with the secret at /v1/webhooks/runs/secret.');

/** A webhook as lists show it: without its secret. */
export const Webhook = z
  .object({
    id: z.string(),
    url: z
      .string()
      .describe(
        'For a key without the scope `admin`, only its beginning, as in `https://example.com/…`: the rest can be a secret.',
      ),
    events: z.array(z.enum(webhookEvents)).describe('Types of delivered events; empty: all.'),
    description: z.string().optional(),
    createdAt: z.number().describe('Milliseconds since 1970.'),
  })
  .meta({ id: 'Webhook' });
/** Webhook as responses have it. */
export type Webhook = z.output<typeof Webhook>;

const Secret = z.string().describe('Secret that signs its deliveries, as Standard Webhooks defines.');

/** A new webhook with its secret. */
export const MadeWebhook = Webhook.extend({
  secret: Secret.describe('Secret that signs its deliveries. It is returned only in this response.'),
}).meta({
  id: 'MadeWebhook',
});
/** MadeWebhook as responses have it. */
export type MadeWebhook = z.output<typeof MadeWebhook>;

/** The secret of the webhooks of single runs. */
export const WebhookSecret = z.object({ secret: Secret });

const WebhookId = z.string().regex(/^wh_[0-9a-f]{18}$/, 'must be the id of a webhook');
const DeliveryId = z
  .string()
  .regex(/^\d{15}\.[A-Za-z0-9_-]{1,128}\.\d{1,15}-\d{1,15}$/, 'must be the id of a delivery');

/** One webhook in a path. */
export const WebhookPath = z.object({ id: WebhookId });

/** The log of a webhook in a path. */
export const WebhookLogPath = z.object({
  id: z.union([z.literal(ownWebhook), WebhookId]).describe('`runs`: the webhooks of single runs.'),
});

/** One delivery in a path. */
export const DeliveryPath = WebhookLogPath.extend({ did: DeliveryId });

const DeliveryState = z
  .enum(['pending', 'delivered', 'failed', 'gone'])
  .describe('gone: the webhook or the run no longer exists.');

/** An event that a webhook receives, and the outcome of its delivery. */
export const Delivery = z
  .object({
    id: z.string(),
    event: z.string().describe('The webhook-id, the same in each attempt.'),
    type: z.enum([...webhookEvents, testEvent]),
    runId: z.string().optional().describe('Absent for `webhook.test`.'),
    state: DeliveryState,
    attempts: z
      .array(
        z.object({
          at: z.number().describe('Milliseconds since 1970.'),
          tookMs: z.number(),
          status: z.number().optional().describe('Status of the HTTP response; absent when there was none.'),
          error: z.string().optional().describe('Reason of the failure.'),
        }),
      )
      .describe('The last 20 attempts.'),
  })
  .meta({ id: 'Delivery' });
/** Delivery as responses have it. */
export type Delivery = z.output<typeof Delivery>;

/** A webhook with the newest entry of its log. */
export const WebhookLine = Webhook.extend({
  last: Delivery.nullable().describe('The newest delivery; null when there is none.'),
}).meta({ id: 'WebhookLine' });
/** WebhookLine as responses have it. */
export type WebhookLine = z.output<typeof WebhookLine>;

/** All webhooks. */
export const WebhookList = z.object({ data: z.array(WebhookLine) });

/** Number of deliveries that were queued again. */
export const Redelivered = z.object({ redelivered: z.number().int().describe('Deliveries that are sent again.') });

/** A page of the log of a webhook, newest first. */
export const DeliveryList = pageOf(Delivery);

/** Query for a page of deliveries. */
export const DeliveryListQuery = z.object({
  limit: PageLimit,
  cursor: DeliveryId.optional(),
  state: DeliveryState.optional(),
});

/** A webhook as the API shows it to those who may change it. */
export const webhookOf = ({ seal: _kept, events, ...webhook }: Stored): z.infer<typeof Webhook> => ({
  ...webhook,
  events: [...events],
});

/** A webhook as the API shows it to all others. */
export const webhookForReaders = (stored: Stored): z.infer<typeof Webhook> => ({
  ...webhookOf(stored),
  url: publicAddress(stored.url),
});

/** A delivery as the API shows it. */
export const deliveryOf = ({ run, entry: _place, attempts, ...delivery }: Logged): Delivery => ({
  ...delivery,
  ...omitUndefined({ runId: delivery.type === testEvent ? undefined : run }),
  attempts: [...attempts],
});
