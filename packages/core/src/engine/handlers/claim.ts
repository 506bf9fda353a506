import type { ActivationId } from '../../model/ids.ts';
import type { DecisionContext, Refusal } from '../state/decision-context.ts';
import { liveActivation } from '../state/live.ts';

/** Announces that a worker executes an activation which takes longer than a moment. */
interface ClaimCommand {
  readonly type: 'claim';
  readonly activation: ActivationId;
  readonly token: string;
  readonly worker: string;
}

/** Records that a worker executes an activation, so that people can see it. */
export function claim({ draft, emit }: DecisionContext, command: ClaimCommand): Refusal | undefined {
  const live = liveActivation(draft, command);
  if (live.type === 'refused') return live;
  emit({
    type: 'activation.started',
    activation: command.activation,
    attempt: live.record.attempt + 1,
    worker: command.worker,
  });
  return undefined;
}
