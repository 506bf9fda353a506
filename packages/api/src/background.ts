import type { RunId, TenantId } from '@millrace/core';

/** Work that servers do after a request has been answered; operations order it. */
export interface Background {
  readonly webhooks: {
    /** Queues a delivery once more. */
    redeliver(delivery: QueuedDelivery): Promise<void>;
  };
}

/** One event that a webhook is told. */
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
}
