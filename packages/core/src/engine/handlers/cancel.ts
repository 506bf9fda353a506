import type { DecisionContext } from '../state/decision-context.ts';
import { finishRun } from '../state/decision-context.ts';

interface CancelCommand {
  readonly type: 'cancel';
  readonly reason: string;
}

/** Ends the run at once; results of activations that are executing will be refused. */
export function cancel(context: DecisionContext, { reason }: CancelCommand): undefined {
  finishRun(context, { status: 'cancelled', error: { code: 'CANCELLED', message: reason } });
}
