import type { RunId, TenantId } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { BulkAction, Schedule } from '@millrace/runtime';

/** Work that servers execute after the response to a request; operations queue it. */
export interface Background {
  readonly webhooks: {
    /** Queues a delivery, in addition to its earlier attempts. */
    enqueue(delivery: QueuedDelivery): Promise<void>;
  };
  readonly schedules: {
    /** Sets the times of a schedule by its present definition; none if it is paused. */
    follow(tenant: TenantId, schedule: Schedule): Promise<void>;
    /** Clears the times of a schedule. */
    drop(tenant: TenantId, id: string): Promise<void>;
  };
  readonly batches: {
    /** Schedules the next step of a batch. */
    push(batch: { readonly tenant: TenantId; readonly id: string }): Promise<void>;
  };
  readonly bulk: {
    /** Queues the execution of a bulk action, once for each id. */
    enqueue(job: { readonly tenant: TenantId; readonly bulk: BulkAction }): Promise<void>;
  };
}

/** One event that a webhook receives. */
export interface QueuedDelivery {
  readonly tenant: TenantId;
  /** The id of a webhook, or `ownWebhook`: that of the run. */
  readonly webhook: string;
  /** Full id of the run, with its tenant. */
  readonly run: RunId;
  /** The id of the event in the run's journal. */
  readonly entry: string;
  /** The id of the delivery in the webhook's log. */
  readonly delivery: string;
  /** The delivery tests the webhook, once; the run does not exist. */
  readonly isTest?: true;
}

/** Throws RequestError, `REDIS_MISSING`, if runs are in memory: what needs background work or other processes is absent then. */
export function assertRedis<C extends { readonly background: Background | undefined }>(
  context: C,
): asserts context is C & { readonly background: Background } {
  if (context.background !== undefined) return;
  throw new RequestError(
    'REDIS_MISSING',
    'Runs live in the memory of this process only (--local). Schedules, batches, bulk actions, webhooks, API keys, limits and paused queues need a Redis: start `millrace up` without --local.',
  );
}
