import type { QueuedDelivery, SecretOfWebhook } from '@millrace/api';
import type { WebhookEvent } from '@millrace/core';
import { ownWebhook, tenantOf, withoutTenant } from '@millrace/core';
import type { JobQueue, OutboundPolicy, OutboxEntry } from '@millrace/runtime';
import { createGuardedFetch, createWebhooks, deliveryId } from '@millrace/runtime';
import type { DeliveryContext } from './deliver.ts';
import { deliver } from './deliver.ts';
import { createDeliveryLanes } from './delivery-lanes.ts';
import type { OutboundPolicyOf } from './outbound-policy-by-tenant.ts';
import type { PayloadSources } from './webhook-event.ts';
import { readWebhookEvent } from './webhook-event.ts';

/** Parts that webhooks need. */
export interface WebhooksOptions {
  readonly sources: PayloadSources;
  readonly jobs: JobQueue<QueuedDelivery>;
  readonly secretOfWebhook: SecretOfWebhook;
  readonly reach: OutboundPolicyOf;
  /** Wait after the first attempt of a delivery, in milliseconds. */
  readonly delayMs?: number;
}

/** The webhooks that this process serves. */
export interface RunningWebhooks {
  /** Queues the deliveries of an outbox entry. */
  announce(entry: OutboxEntry): Promise<void>;
  /** Queues a delivery, beside what was queued of it before. */
  enqueue(delivery: QueuedDelivery): Promise<void>;
  close(): Promise<void>;
}

/** Maximum number of deliveries of one process at a time. */
const concurrency = 128;

/** Returns the function that queues single deliveries; any server makes them. A test has one attempt. */
export const createDeliveryQueue =
  (jobs: JobQueue<QueuedDelivery>, now: () => number, delayMs = deliveryRetry.delayMs): RunningWebhooks['enqueue'] =>
  async (delivery) => {
    const id = `${delivery.tenant}.${delivery.webhook}.${delivery.delivery}.${now()}`;
    const { attempts } = delivery.isTest === true ? { attempts: 1 } : deliveryRetry;
    await jobs.add([{ id, data: delivery }], { attempts, delayMs });
  };

/** Makes the queued deliveries, until it is closed. */
export function startWebhooks(options: WebhooksOptions): RunningWebhooks {
  const { sources, jobs, secretOfWebhook, reach, delayMs = deliveryRetry.delayMs } = options;
  const context = { sources, secretOfWebhook, lanes: createDeliveryLanes(), fetchFor: fetchByTenant(reach) };
  const consumer = jobs.consume((delivery, attempt) => deliver(context, delivery, attempt), { concurrency });
  return {
    announce: (entry) => announce(sources, entry, { jobs, delayMs }),
    enqueue: createDeliveryQueue(jobs, sources.store.now, delayMs),
    close: () => consumer.close(),
  };
}

/**
 * Returns `fetch` by tenant. Tenants with the same policy share connections, because there are few different policies.
 */
function fetchByTenant(reach: OutboundPolicyOf): DeliveryContext['fetchFor'] {
  const made = new Map<OutboundPolicy, typeof fetch>();
  return (tenant) => {
    const own = reach(tenant);
    const guarded = made.get(own) ?? createGuardedFetch(own);
    made.set(own, guarded);
    return guarded;
  };
}

/** Number of attempts of a delivery, and the wait after the first one, in milliseconds. */
const deliveryRetry = { attempts: 10, delayMs: 10_000 };

/**
 * Queues a delivery of an outbox entry for every webhook that subscribes to it. Repeating it for an entry queues
 * nothing more.
 */
async function announce(
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
      event: event.id,
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
