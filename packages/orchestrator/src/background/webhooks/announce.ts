import type { QueuedDelivery } from '@millrace/api';
import type { WebhookEvent } from '@millrace/core';
import { ownWebhook, tenantOf, withoutTenant } from '@millrace/core';
import type { JobQueue, OutboxEntry } from '@millrace/runtime';
import { createWebhooks, deliveryId } from '@millrace/runtime';
import type { Sources } from './webhook-payload.ts';
import { eventId, readTold } from './webhook-payload.ts';

/** How often and how soon a webhook is told again. */
export const tries = { count: 10, restMs: 10_000 };

/** Queues what a notice is about for every webhook that wants it. Doing it again for one notice queues nothing more. */
export async function announce(
  sources: Sources,
  { run, entry }: OutboxEntry,
  { jobs, restMs }: { readonly jobs: JobQueue<QueuedDelivery>; readonly restMs: number },
): Promise<void> {
  const told = await readTold(sources, run, entry);
  if (told === undefined) return;
  const tenant = tenantOf(run);
  const webhooks = createWebhooks(sources.store, tenant);
  const own = told.origin.webhook;
  const wanted = [
    ...(told.origin.told === true ? await webhooks.list() : []),
    ...(own === undefined ? [] : [{ id: ownWebhook, events: own.events ?? [] }]),
  ].filter(({ events }) => events.length === 0 || (events as readonly string[]).includes(told.type));
  const delivery = deliveryId({ at: told.entry.at, run: withoutTenant(run), entry });
  const tellings = wanted.map(({ id }): QueuedDelivery => ({ tenant, webhook: id, run, entry, delivery }));
  for (const { webhook } of tellings) {
    await webhooks.deliveries(webhook).add({
      id: delivery,
      event: eventId(run, entry),
      type: told.type satisfies WebhookEvent,
      run: withoutTenant(run),
      entry,
      state: 'pending',
      attempts: [],
    });
  }
  await jobs.add(
    tellings.map((data) => ({ id: `${tenant}.${data.webhook}.${delivery}`, data })),
    { ...tries, restMs },
  );
}
