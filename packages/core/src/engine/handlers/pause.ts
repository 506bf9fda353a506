import type { Refusal } from '../commands/refusal.ts';
import { refuse } from '../commands/refusal.ts';
import { advanceAll } from '../scopes/advance.ts';
import type { DecisionContext } from '../state/decision-context.ts';
import { runOf } from '../state/lookup.ts';
import { restartTerminationTimers } from '../termination/step-terminations.ts';

/** Lets nothing new start until the run is resumed; what is at work may finish. */
export function pause(context: DecisionContext): Refusal | undefined {
  const { draft, emit } = context;
  const { status } = runOf(draft);
  if (status !== 'running')
    return refuse('RUN_NOT_ACTIVE', `Only a run that is running can be paused; this one is ${status}.`);
  emit({ type: 'run.paused' });
  // A time may have run out that no alarm has told of yet.
  restartTerminationTimers(context);
  const now = runOf(draft);
  if (now.status !== 'paused' || now.halting !== undefined) advanceAll(context);
  return undefined;
}
