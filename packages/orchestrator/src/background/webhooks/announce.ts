import type { QueuedDelivery } from '@millrace/api';
import type { WebhookEvent } from '@millrace/core';
import { ownWebhook, tenantOf, withoutTenant } from '@millrace/core';
import type { JobQueue, OutboxEntry } from '@millrace/runtime';
import { createWebhooks, deliveryId } from '@millrace/runtime';
import type { PayloadSources } from './webhook-payload.ts';
import { eventId, readWebhookEvent } from './webhook-payload.ts';

/** Number of attempts of a delivery, and the wait after the first one, in milliseconds. */
export const deliveryRetry = { attempts: 10, delayMs: 10_000 };

/**
 * Queues a delivery of an outbox entry for every webhook that subscribes to it. Repeating it for an entry queues
 * nothing more.
 */
export async function announce(
  sources: PayloadSources,
  { run, entry }: OutboxEntry,
  { jobs, delayMs }: { readonly jobs: JobQueue<QueuedDelivery>; readonly delayMs: number },
): Promise<void> {
  const event = await readWebhookEvent(sources, run, entry);
  if (event === undefined) return;
  const tenant = tenantOf(run);
  const webhooks = createWebhooks(sources.store, tenant);
  const own = event.origin.webhook;
  const wanted = [
    ...(event.origin.told === true ? await webhooks.list() : []),
    ...(own === undefined ? [] : [{ id: ownWebhook, events: own.events ?? [] }]),
  ].filter(({ events }) => events.length === 0 || (events as readonly string[]).includes(event.type));
  const delivery = deliveryId({ at: event.entry.at, run: withoutTenant(run), entry });
  const deliveries = wanted.map(({ id }): QueuedDelivery => ({ tenant, webhook: id, run, entry, delivery }));
  for (const { webhook } of deliveries) {
    await webhooks.deliveries(webhook).add({
      id: delivery,
      event: eventId(run, entry),
      type: event.type satisfies WebhookEvent,
      run: withoutTenant(run),
      entry,
      state: 'pending',
      attempts: [],
    });
  }
  await jobs.add(
    deliveries.map((data) => ({ id: `${tenant}.${data.webhook}.${delivery}`, data })),
    { ...deliveryRetry, delayMs },
  );
}
