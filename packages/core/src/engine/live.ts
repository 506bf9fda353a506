import type { ActivationId } from '../model/ids.ts';
import type { ActivationRecord } from './records.ts';
import type { Refusal } from './refusal.ts';
import { refuse } from './refusal.ts';
import type { StateView } from './state.ts';

/**
 * The record of an activation that is to be worked on by whoever holds this token. A late or foreign worker is refused:
 * the first result of an activation wins, and a result of an earlier wake does not count.
 */
export function liveActivation(
  state: StateView,
  wake: { readonly activation: ActivationId; readonly token: string },
): { readonly type: 'live'; readonly record: ActivationRecord } | Refusal {
  const record = state.get(`activation/${wake.activation}`);
  if (record === undefined || record.failed)
    return refuse('ACTIVATION_SETTLED', `Activation ${wake.activation} is settled already.`);
  if (record.token !== wake.token)
    return refuse('WAKE_STALE', `Activation ${wake.activation} has been woken anew since.`);
  if (record.wait !== undefined && record.answer === undefined)
    return refuse('ACTIVATION_WAITS', `Activation ${wake.activation} waits for an answer.`);
  return { type: 'live', record };
}
