import { RequestError } from '@millrace/core';
import type { Store } from './port.ts';

/** Throws RequestError when the remaining memory is reserved for existing runs, or when the store may evict runs. */
export async function assertCapacity(store: Pick<Store, 'capacity'>): Promise<void> {
  const capacity = await store.capacity();
  if (capacity.type === 'evicting') throw evicting(capacity.policy);
  if (capacity.type === 'enough') return;
  throw new RequestError(
    'REDIS_FULL',
    'Redis uses nine tenths of its memory. The rest is reserved for runs in progress. Try again later.',
  );
}

/** Creates the refusal of a Redis that may evict runs when memory is short. */
export const evicting = (policy: string): RequestError =>
  new RequestError(
    'REDIS_EVICTION',
    `Redis runs with maxmemory-policy ${policy}, so it may drop runs when memory is short. Set it to noeviction.`,
  );
