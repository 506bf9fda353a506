import type { QueuedDelivery, SecretOfWebhook } from '@millrace/api';
import type { JobQueue, OutboundPolicy, OutboxEntry } from '@millrace/runtime';
import { createGuardedFetch } from '@millrace/runtime';
import { announce, deliveryRetry } from './announce.ts';
import type { DeliveryContext } from './deliver.ts';
import { deliver } from './deliver.ts';
import { createDeliveryLanes } from './delivery-lanes.ts';
import type { OutboundPolicyOf } from './outbound-policy-by-tenant.ts';
import type { PayloadSources } from './webhook-payload.ts';

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
