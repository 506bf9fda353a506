import { advanceAll } from '../scopes/advance.ts';
import type { DecisionContext, Refusal } from '../state/decision-context.ts';
import { refuse } from '../state/decision-context.ts';
import { runOf } from '../state/lookup.ts';
import { restartTerminationTimers } from '../termination/step-terminations.ts';

/** Pauses the run: nothing new is started until it is resumed, and executing activations may finish. */
export function pause(context: DecisionContext): Refusal | undefined {
  const { draft, emit } = context;
  const { status } = runOf(draft);
  if (status !== 'running')
    return refuse('RUN_NOT_ACTIVE', `Only a run that is running can be paused; this one is ${status}.`);
  emit({ type: 'run.paused' });
  // A time limit may have passed whose alarm has not been handled yet.
  restartTerminationTimers(context);
  const now = runOf(draft);
  if (now.status !== 'paused' || now.halting !== undefined) advanceAll(context);
  return undefined;
}
