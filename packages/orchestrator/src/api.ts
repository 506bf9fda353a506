import type { WorkflowReader } from '@millrace/catalog';
import type { Vocabulary } from '@millrace/core';
import type { ApiKeys, Intake, Limits, Metrics, Outages, Oversight, Queue } from '@millrace/runtime';
import type { RunningBatches } from './batches/start-batches.ts';
import type { RunningBulk } from './bulk/start-bulk.ts';
import type { RunningSchedules } from './schedules/start-schedules.ts';
import type { ReachOf } from './webhooks/reach-by-tenant.ts';
import type { Sealing } from './webhooks/sealing.ts';
import type { RunningWebhooks } from './webhooks/start-webhooks.ts';

/**
 * What all routes work with, whoever asks. What belongs to a tenant is not here: it is in the caller of a request, so
 * that no route can forget whose it is.
 */
export interface Api {
  readonly vocabulary: Vocabulary;
  readonly reader: WorkflowReader;
  readonly keys: ApiKeys;
  readonly queue: Pick<Queue, 'consumers'>;
  readonly webhooks: Pick<RunningWebhooks, 'redeliver'>;
  readonly schedules: Pick<RunningSchedules, 'follow' | 'drop'>;
  readonly batches: Pick<RunningBatches, 'push'>;
  readonly bulk: Pick<RunningBulk, 'give'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Makes the secrets of webhooks. */
  readonly sealing: Sealing;
  /** Where webhooks may be. */
  readonly webhookReach: ReachOf;
  readonly intake: Intake;
  readonly limits: Limits;
  /** Absent where runs live in one process only. */
  readonly oversight: Oversight | undefined;
  /** Absent where runs live in one process only. */
  readonly outages: Outages | undefined;
  /** Absent: nobody counts. */
  readonly metrics: Metrics | undefined;
  /** Aborted when the server closes: who waits is answered at once. */
  readonly closing: AbortSignal;
}
