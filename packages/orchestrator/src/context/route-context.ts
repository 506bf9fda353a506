import type { InstallationAdmin, Metrics, Outages, Queue } from '@millrace/runtime';
import type { SharedContext } from './context.ts';

/**
 * What all routes work with, whoever asks. What belongs to a tenant is not here: it is in the caller of a request, so
 * that no route can forget whose it is.
 */
export interface RouteContext extends SharedContext {
  readonly queue: Pick<Queue, 'consumers'>;
  /** Absent where runs live in one process only. */
  readonly admin: InstallationAdmin | undefined;
  /** Absent where runs live in one process only. */
  readonly outages: Outages | undefined;
  /** Absent: nobody counts. */
  readonly metrics: Metrics | undefined;
  /** Aborted when the server closes: who waits is answered at once. */
  readonly closing: AbortSignal;
}
