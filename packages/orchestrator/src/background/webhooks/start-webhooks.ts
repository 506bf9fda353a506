import type { QueuedDelivery, SecretOfWebhook } from '@millrace/api';
import type { JobQueue, OutboundPolicy, OutboxEntry } from '@millrace/runtime';
import { createGuardedFetch } from '@millrace/runtime';
import { announce, tries } from './announce.ts';
import type { Delivering } from './deliver.ts';
import { deliver } from './deliver.ts';
import { createLanes } from './delivery-lanes.ts';
import type { OutboundPolicyOf } from './outbound-policy-by-tenant.ts';
import type { Sources } from './webhook-payload.ts';

/** What webhooks are told with. */
export interface WebhooksOptions {
  readonly sources: Sources;
  readonly jobs: JobQueue<QueuedDelivery>;
  readonly secretOfWebhook: SecretOfWebhook;
  readonly reach: OutboundPolicyOf;
  /** How long a delivery rests after its first try, in milliseconds. */
  readonly restMs?: number;
}

/** Webhooks at work in this process. */
export interface RunningWebhooks {
  /** Queues what is to be told. */
  announce(notice: OutboxEntry): Promise<void>;
  /** Tells a webhook again what it was told, or could not be told, before. */
  redeliver(telling: QueuedDelivery): Promise<void>;
  close(): Promise<void>;
}

/** Deliveries of one process at a time. */
const concurrency = 128;

/** Queues deliveries once more; whichever server it is makes them. */
export const redelivers =
  (jobs: JobQueue<QueuedDelivery>, now: () => number, restMs = tries.restMs): RunningWebhooks['redeliver'] =>
  async (telling) => {
    const id = `${telling.tenant}.${telling.webhook}.${telling.delivery}.${now()}`;
    await jobs.add([{ id, data: telling }], { ...tries, restMs });
  };

/** Delivers what is queued, until it is closed. */
export function startWebhooks(options: WebhooksOptions): RunningWebhooks {
  const { sources, jobs, secretOfWebhook, reach, restMs = tries.restMs } = options;
  const delivering = { sources, secretOfWebhook, lanes: createLanes(), fetchFor: fetchByTenant(reach) };
  const consumer = jobs.consume((telling, attempt) => deliver(delivering, telling, attempt), { concurrency });
  return {
    announce: (notice) => announce(sources, notice, { jobs, restMs }),
    redeliver: redelivers(jobs, sources.store.now, restMs),
    close: () => consumer.close(),
  };
}

/** Reaches are few, and the tenants that have one are many: connections are shared by those who may reach the same. */
function fetchByTenant(reach: OutboundPolicyOf): Delivering['fetchFor'] {
  const made = new Map<OutboundPolicy, typeof fetch>();
  return (tenant) => {
    const own = reach(tenant);
    const guarded = made.get(own) ?? createGuardedFetch(own);
    made.set(own, guarded);
    return guarded;
  };
}
