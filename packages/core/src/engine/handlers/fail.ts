import type { RunError } from '../records/event.ts';
import { finishIfIdle } from '../scopes/advance.ts';
import type { DecisionContext } from '../state/decision-context.ts';
import { skipExits } from '../termination/exits.ts';

/** Ends a run that no worker can continue. */
interface FailCommand {
  readonly type: 'fail';
  readonly error: RunError;
}

/** Fails the run: activations that are executing are aborted, and no exit node runs. */
export function fail(context: DecisionContext, { error }: FailCommand): undefined {
  context.emit({ type: 'run.failing', error, inFlight: 'cancel' });
  skipExits(context);
  finishIfIdle(context);
}
