import { RequestError } from '@millrace/core';
import { evicting } from '../redis/evicting.ts';
import type { Store } from '../store/port.ts';

/** Throws RequestError when the remaining memory is reserved for existing runs, or when the store may evict runs. */
export async function assertCapacity(store: Pick<Store, 'capacity'>): Promise<void> {
  const capacity = await store.capacity();
  if (capacity.type === 'evicting') throw evicting(capacity.policy);
  if (capacity.type === 'enough') return;
  throw new RequestError(
    'REDIS_FULL',
    'Redis has nine tenths of its memory in use. What is left is for the runs that are under way; try again later.',
  );
}
