import type { ActivationRecord, RunRecord } from '../records/records.ts';

/** Returns the counts of a run after a change of those that wait, by an activation with this wait. */
export const waitingBy = (
  { waiting, listening = 0 }: RunRecord,
  { wait }: Pick<ActivationRecord, 'wait'>,
  change: 1 | -1,
): Pick<RunRecord, 'waiting' | 'listening'> => ({
  waiting: waiting + change,
  ...(wait?.kind === 'event' ? { listening: listening + change } : {}),
});
