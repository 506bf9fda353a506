import type { Deciding } from '../deciding.ts';
import { runOf } from '../lookup.ts';
import type { Refusal } from '../refusal.ts';
import { refuse } from '../refusal.ts';
import { armTermination } from '../termination/alarms.ts';
import { enteredTerminations } from '../termination/around.ts';

/** Lets nothing new start until the run is resumed; what is at work may finish. */
export function pause(deciding: Deciding): Refusal | undefined {
  const { draft, plan, emit } = deciding;
  const { status } = runOf(draft);
  if (status !== 'running')
    return refuse('RUN_NOT_ACTIVE', `Only a run that is running can be paused; this one is ${status}.`);
  emit({ type: 'run.paused' });
  for (const scope of enteredTerminations(plan, draft)) armTermination(deciding, scope);
  return undefined;
}
