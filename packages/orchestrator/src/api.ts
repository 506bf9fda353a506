import type { Context } from '@millrace/api';
import type { Vocabulary } from '@millrace/core';
import type { ApiKeys, Intake, Limits, Metrics, Outages, Oversight, Queue } from '@millrace/runtime';
import type { RunningBatches } from './batches/start-batches.ts';
import type { RunningBulk } from './bulk/start-bulk.ts';
import type { RunningSchedules } from './schedules/start-schedules.ts';

/**
 * What all routes work with, whoever asks. What belongs to a tenant is not here: it is in the caller of a request, so
 * that no route can forget whose it is.
 */
export interface Api extends Pick<Context, 'reader' | 'background' | 'secretOfWebhook' | 'assertReachable'> {
  readonly vocabulary: Vocabulary;
  readonly keys: ApiKeys;
  readonly queue: Pick<Queue, 'consumers'>;
  readonly schedules: Pick<RunningSchedules, 'follow' | 'drop'>;
  readonly batches: Pick<RunningBatches, 'push'>;
  readonly bulk: Pick<RunningBulk, 'give'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
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
