import type { Client, PageOptions, RequestOptions } from '../client.ts';
import type { RefusedJob } from '../generated/schemas.ts';
import type { Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';

/** Jobs that others have put on the intake queue and that could not be taken. They need the scope `admin`. */
export interface IntakeResource {
  /** Newest first. */
  refused(options?: PageOptions): Pages<RefusedJob>;
  /** Takes one again. */
  retry(id: string, options?: RequestOptions): Promise<RefusedJob>;
  /** Forgets one, which makes room for another of its id. */
  drop(id: string, options?: RequestOptions): Promise<RefusedJob>;
}

/** Makes the methods of refused jobs. */
export const createIntakeResource = (client: Client): IntakeResource => ({
  refused: ({ limit = 200, ...options } = {}) =>
    pagesOf((cursor) => client.call('intake.list', { limit, cursor }, options)),
  retry: (id, options) => client.call('intake.retry', { id }, options),
  drop: (id, options) => client.call('intake.drop', { id }, options),
});
