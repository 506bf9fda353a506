import type { InstallationAdmin, Metrics, Outages, Queue } from '@millrace/runtime';
import type { SharedContext } from './context.ts';
import type { Draining } from './draining.ts';

/**
 * Context of all routes, for any caller. It contains nothing of a tenant: that is in the caller of a request, so no
 * route can ignore the tenant.
 */
export interface RouteContext extends SharedContext {
  readonly queue: Pick<Queue, 'consumers'>;
  /** Absent if runs exist in one process only. */
  readonly admin: InstallationAdmin | undefined;
  /** Absent if runs exist in one process only. */
  readonly outages: Outages | undefined;
  /** Absent: requests are not counted. */
  readonly metrics: Metrics | undefined;
  /** Aborted when the server closes: requests that wait are answered at once. */
  readonly closing: AbortSignal;
  readonly draining: Pick<Draining, 'isDraining' | 'asked'>;
}
