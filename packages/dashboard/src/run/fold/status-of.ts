import type { Run } from '@millrace/client';
import type { Picture } from './picture.ts';

/** Returns the displayed status of a run: it waits when all live activations wait for something outside the run. */
export function statusOf({ status, live }: Picture): Run['status'] {
  if (status === 'failing') return 'running';
  if (status !== 'running') return status as Run['status']; // the other words are the same
  const unsettled = [...live.values()].filter(({ state }) => state !== 'failed');
  const isWaiting = unsettled.every(({ waitsFor }) => waitsFor !== undefined && waitsFor.type !== 'time');
  return unsettled.length > 0 && isWaiting ? 'waiting' : 'running';
}
