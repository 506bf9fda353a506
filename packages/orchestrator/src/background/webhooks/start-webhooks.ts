import type { QueuedDelivery, SecretOfWebhook } from '@millrace/api';
import type { JobQueue, OutboundPolicy, OutboxEntry } from '@millrace/runtime';
import { createGuardedFetch } from '@millrace/runtime';
import { announce, deliveryRetry } from './announce.ts';
import type { DeliveryContext } from './deliver.ts';
import { deliver } from './deliver.ts';
import { createDeliveryLanes } from './delivery-lanes.ts';
import type { OutboundPolicyOf } from './outbound-policy-by-tenant.ts';
import type { PayloadSources } from './webhook-payload.ts';

/** What webhooks are told with. */
export interface WebhooksOptions {
  readonly sources: PayloadSources;
  readonly jobs: JobQueue<QueuedDelivery>;
  readonly secretOfWebhook: SecretOfWebhook;
  readonly reach: OutboundPolicyOf;
  /** How long a delivery rests after its first try, in milliseconds. */
  readonly delayMs?: number;
}

/** Webhooks at work in this process. */
export interface RunningWebhooks {
  /** Queues what is to be told. */
  announce(entry: OutboxEntry): Promise<void>;
  /** Tells a webhook again what it was told, or could not be told, before. */
  redeliver(delivery: QueuedDelivery): Promise<void>;
  close(): Promise<void>;
}

/** Deliveries of one process at a time. */
const concurrency = 128;

/** Queues deliveries once more; whichever server it is makes them. */
export const createRedeliver =
  (jobs: JobQueue<QueuedDelivery>, now: () => number, delayMs = deliveryRetry.delayMs): RunningWebhooks['redeliver'] =>
  async (delivery) => {
    const id = `${delivery.tenant}.${delivery.webhook}.${delivery.delivery}.${now()}`;
    await jobs.add([{ id, data: delivery }], { ...deliveryRetry, delayMs });
  };

/** Delivers what is queued, until it is closed. */
export function startWebhooks(options: WebhooksOptions): RunningWebhooks {
  const { sources, jobs, secretOfWebhook, reach, delayMs = deliveryRetry.delayMs } = options;
  const context = { sources, secretOfWebhook, lanes: createDeliveryLanes(), fetchFor: fetchByTenant(reach) };
  const consumer = jobs.consume((delivery, attempt) => deliver(context, delivery, attempt), { concurrency });
  return {
    announce: (entry) => announce(sources, entry, { jobs, delayMs }),
    redeliver: createRedeliver(jobs, sources.store.now, delayMs),
    close: () => consumer.close(),
  };
}

/** Reaches are few, and the tenants that have one are many: connections are shared by those who may reach the same. */
function fetchByTenant(reach: OutboundPolicyOf): DeliveryContext['fetchFor'] {
  const made = new Map<OutboundPolicy, typeof fetch>();
  return (tenant) => {
    const own = reach(tenant);
    const guarded = made.get(own) ?? createGuardedFetch(own);
    made.set(own, guarded);
    return guarded;
  };
}
