import type { Run } from '@millrace/client';
import type { Picture } from './picture.ts';

/** Returns the status of a run for people: it waits when everything that is live waits for somebody outside. */
export function statusOf({ status, live }: Picture): Run['status'] {
  if (status === 'failing') return 'running';
  if (status !== 'running') return status as Run['status']; // the other words are the same
  const unsettled = [...live.values()].filter(({ state }) => state !== 'failed');
  const isWaiting = unsettled.every(({ waitsFor }) => waitsFor !== undefined && waitsFor.type !== 'time');
  return unsettled.length > 0 && isWaiting ? 'waiting' : 'running';
}
