import { RequestError } from '@millrace/core';

/** Creates the refusal of a Redis that may evict runs when memory is short. */
export const evicting = (policy: string): RequestError =>
  new RequestError(
    'REDIS_EVICTION',
    `Redis runs with maxmemory-policy ${policy}, so it may drop runs when memory is short. Set it to noeviction.`,
  );
