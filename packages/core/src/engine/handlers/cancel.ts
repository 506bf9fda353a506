import type { DecisionContext } from '../state/decision-context.ts';

interface CancelCommand {
  readonly type: 'cancel';
  readonly reason: string;
}

/** Ends the run at once; results of activations that are executing will be refused. */
export function cancel({ emit }: DecisionContext, { reason }: CancelCommand): undefined {
  emit({ type: 'run.finished', status: 'cancelled', error: { code: 'CANCELLED', message: reason } });
}
