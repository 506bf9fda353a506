import { RequestError } from '@millrace/core';

/** The refusal to trust a Redis with runs that may drop keys when memory is short. */
export const evicting = (policy: string): RequestError =>
  new RequestError(
    'REDIS_EVICTION',
    `Redis runs with maxmemory-policy ${policy}, so it may drop runs when memory is short. Set it to noeviction.`,
  );
