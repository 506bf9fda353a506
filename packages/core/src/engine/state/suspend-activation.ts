import type { Wait } from '../../definitions/outcome.ts';
import type { ActivationId } from '../../model/ids.ts';
import type { DecisionContext } from './decision-context.ts';

/** Begins a wait of an activation. The event counts its waits, so that no two questions of an activation are the same. */
export function suspendActivation(
  { draft, emit }: Pick<DecisionContext, 'draft' | 'emit'>,
  activation: ActivationId,
  wait: Wait,
): void {
  const suspension = (draft.get(`activation/${activation}`)?.suspensions ?? 0) + 1;
  emit({ type: 'activation.suspended', activation, wait, ...(suspension === 1 ? {} : { suspension }) });
}
