import type { ActivationId } from '../../model/ids.ts';
import { rootScope } from '../../model/ids.ts';
import { isEnded } from '../../model/run-status.ts';
import type { ActivationRecord, RunRecord } from '../records/records.ts';
import type { Refusal } from './decision-context.ts';
import { refuse } from './decision-context.ts';
import { runOf } from './lookup.ts';
import type { StateView } from './state.ts';

/** Returns whether a run has ended. A run that is completed, terminated or failed can still be resumed. */
export const hasEnded = ({ status }: Pick<RunRecord, 'status'>): boolean => isEnded(status);

/** Returns whether an activation waits for an answer. */
export const isWaiting = (record: ActivationRecord): boolean =>
  record.wait !== undefined && record.answer === undefined && record.failed !== true;

/** Returns whether an activation waits for an answer or for room in the budget. */
export const isBlocked = (record: ActivationRecord): boolean => isWaiting(record) || record.short !== undefined;

/**
 * Returns whether a worker is known to execute an activation. Only such activations continue while a run is paused, stopping
 * or failing.
 */
export const isExecuting = (record: ActivationRecord): boolean => record.startedAt !== undefined;

/** Returns whether an activation may start: any in a running run, and exit nodes in one that is stopping. */
export const canStart = (
  { status }: Pick<RunRecord, 'status'>,
  { part, scope }: Pick<ActivationRecord, 'part' | 'scope'>,
): boolean => status === 'running' || (status === 'stopping' && part === 'exit' && scope === rootScope);

/**
 * Returns the record of an activation if this token is its current one. A late worker is refused: the first result of
 * an activation wins, and a result of an earlier wake does not count.
 */
export function liveActivation(
  state: StateView,
  wake: { readonly activation: ActivationId; readonly token: string },
): { readonly type: 'live'; readonly record: ActivationRecord } | Refusal {
  const run = runOf(state);
  const record = state.get(`activation/${wake.activation}`);
  if (hasEnded(run)) return refuse('RUN_ENDED', `The run has ended: ${run.status}.`);
  if (record === undefined || record.failed)
    return refuse('ACTIVATION_SETTLED', `Activation ${wake.activation} is already settled.`);
  if (record.token !== wake.token)
    return refuse('WAKE_STALE', `Activation ${wake.activation} has been woken again since.`);
  if (isWaiting(record)) return refuse('ACTIVATION_WAITS', `Activation ${wake.activation} waits for an answer.`);
  if (record.held)
    return refuse(
      'ACTIVATION_PARKED',
      `Activation ${wake.activation} is held until it gets the lock of its workspace.`,
    );
  if (record.short !== undefined)
    return refuse('ACTIVATION_WAITS', `Activation ${wake.activation} waits for room in the budget.`);
  if (!canStart(run, record) && !isExecuting(record))
    return refuse('ACTIVATION_PARKED', `Activation ${wake.activation} is parked: the run is ${run.status}.`);
  return { type: 'live', record };
}
