import type { RunId, TenantId } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { BulkOrder, Schedule } from '@millrace/runtime';

/** Work that servers do after a request has been answered; operations order it. */
export interface Background {
  readonly webhooks: {
    /** Queues a delivery, beside what was queued of it before. */
    enqueue(delivery: QueuedDelivery): Promise<void>;
  };
  readonly schedules: {
    /** Sets the times of a schedule as it says now; none when it is paused. */
    follow(tenant: TenantId, schedule: Schedule): Promise<void>;
    /** Clears the times of a schedule. */
    drop(tenant: TenantId, id: string): Promise<void>;
  };
  readonly batches: {
    /** Schedules the next step of a batch. */
    push(batch: { readonly tenant: TenantId; readonly id: string }): Promise<void>;
  };
  readonly bulk: {
    /** Queues the execution of a bulk order, once for each id. */
    enqueue(order: { readonly tenant: TenantId; readonly order: BulkOrder }): Promise<void>;
  };
}

/** One event that a webhook receives. */
export interface QueuedDelivery {
  readonly tenant: TenantId;
  /** The id of a webhook, or `ownWebhook`: that of the run. */
  readonly webhook: string;
  /** The tenant's part included. */
  readonly run: RunId;
  /** The id of the event in the run's journal. */
  readonly entry: string;
  /** The id of the delivery in the webhook's log. */
  readonly delivery: string;
  /** It tries the webhook out, once: there is no such run. */
  readonly isTest?: true;
}

/** Throws RequestError, `REDIS_MISSING`, where runs live in one process only, as nothing works in the background there. */
export function assertRedis<C extends { readonly background: Background | undefined }>(
  context: C,
): asserts context is C & { readonly background: Background } {
  if (context.background !== undefined) return;
  throw new RequestError(
    'REDIS_MISSING',
    'Runs live in this process only. Schedules, batches, bulk orders and deliveries of webhooks need a Redis: set REDIS_URL.',
  );
}
