import type { ActivationId } from '../../model/ids.ts';
import { rootScope } from '../../model/ids.ts';
import type { Refusal } from '../commands/refusal.ts';
import { refuse } from '../commands/refusal.ts';
import type { ActivationRecord, RunRecord } from '../records/records.ts';
import { runOf } from './lookup.ts';
import type { StateView } from './state.ts';

/** Whether a run has ended. One that was terminated or failed can be resumed all the same. */
export const hasEnded = ({ status }: Pick<RunRecord, 'status'>): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled' || status === 'terminated';

/** Whether somebody outside has to answer before it can go on. */
export const isWaiting = (record: ActivationRecord): boolean =>
  record.wait !== undefined && record.answer === undefined && record.failed !== true;

/** Whether it goes on only when something happens elsewhere: somebody answers, or there is room in the budget. */
export const isBlocked = (record: ActivationRecord): boolean => isWaiting(record) || record.short !== undefined;

/** Whether a worker is known to be at work on it. In a run that is held up nothing else goes on. */
export const isExecuting = (record: ActivationRecord): boolean => record.startedAt !== undefined;

/** Whether an activation may begin: all of a run that is running, and what comes last in one that is being stopped. */
export const canStart = (
  { status }: Pick<RunRecord, 'status'>,
  { part, scope }: Pick<ActivationRecord, 'part' | 'scope'>,
): boolean => status === 'running' || (status === 'stopping' && part === 'exit' && scope === rootScope);

/**
 * The record of an activation that is to be worked on by whoever holds this token. A late or foreign worker is refused:
 * the first result of an activation wins, and a result of an earlier wake does not count.
 */
export function liveActivation(
  state: StateView,
  wake: { readonly activation: ActivationId; readonly token: string },
): { readonly type: 'live'; readonly record: ActivationRecord } | Refusal {
  const run = runOf(state);
  const record = state.get(`activation/${wake.activation}`);
  if (hasEnded(run)) return refuse('RUN_ENDED', `The run has ended: ${run.status}.`);
  if (record === undefined || record.failed)
    return refuse('ACTIVATION_SETTLED', `Activation ${wake.activation} is settled already.`);
  if (record.token !== wake.token)
    return refuse('WAKE_STALE', `Activation ${wake.activation} has been woken anew since.`);
  if (isWaiting(record)) return refuse('ACTIVATION_WAITS', `Activation ${wake.activation} waits for an answer.`);
  if (record.held)
    return refuse('ACTIVATION_PARKED', `Activation ${wake.activation} is held until it has its turn at the workspace.`);
  if (record.short !== undefined)
    return refuse('ACTIVATION_WAITS', `Activation ${wake.activation} waits for room in the budget.`);
  if (!canStart(run, record) && !isExecuting(record))
    return refuse('ACTIVATION_PARKED', `Activation ${wake.activation} is parked: the run is ${run.status}.`);
  return { type: 'live', record };
}
