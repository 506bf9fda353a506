import { RequestError } from '@millrace/core';
import type { Store } from '../store/port.ts';

/** Throws RequestError when what room there is, is for the runs that are under way. */
export async function assertRoom(store: Store): Promise<void> {
  if (await store.hasRoom()) return;
  throw new RequestError(
    'REDIS_FULL',
    'Redis has nine tenths of its memory in use. What is left is for the runs that are under way; try again later.',
  );
}
