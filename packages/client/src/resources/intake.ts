import type { Client, PageOptions, RequestOptions } from '../client.ts';
import type { RefusedJob } from '../generated/schemas.ts';
import type { Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';

/** Jobs of other programs on the intake queue that were refused. The methods need the scope `admin`. */
export interface IntakeResource {
  /** Lists refused jobs, newest first. */
  refused(options?: PageOptions): Pages<RefusedJob>;
  /** Retries a job. */
  retry(id: string, options?: RequestOptions): Promise<RefusedJob>;
  /** Removes a job, so that another one can have its id. */
  drop(id: string, options?: RequestOptions): Promise<RefusedJob>;
}

/** Returns the methods of refused jobs. */
export const createIntakeResource = (client: Client): IntakeResource => ({
  refused: ({ limit = 200, ...options } = {}) =>
    pagesOf((cursor) => client.call('intake.list', { limit, cursor }, options)),
  retry: (id, options) => client.call('intake.retry', { id }, options),
  drop: (id, options) => client.call('intake.drop', { id }, options),
});
