import type { Refusal } from '../commands/refusal.ts';
import { refuse } from '../commands/refusal.ts';
import type { Deciding } from '../state/decision-context.ts';
import { enteredTerminations } from '../state/enclosing-terminations.ts';
import { isAtWork, isHeldUp } from '../state/live.ts';
import { activationsOf, runOf } from '../state/lookup.ts';
import { armTermination } from '../termination/alarms.ts';

/** Lets all terminations begin anew, while nothing goes on that they would count. */
export function reset(deciding: Deciding): Refusal | undefined {
  const { draft, plan, emit } = deciding;
  const { status } = runOf(draft);
  if (status !== 'running' && status !== 'paused')
    return refuse('RUN_NOT_ACTIVE', `The run is ${status}; its terminations begin anew when it is resumed.`);
  for (const [activation, record] of activationsOf(draft)) {
    if (isAtWork(record) || (status === 'running' && !isHeldUp(record)))
      return refuse(
        'RUN_AT_WORK',
        `Activation ${activation} is at work, or about to be, and would count. Pause the run and wait for it to finish.`,
      );
  }
  for (const scope of enteredTerminations(plan, draft)) {
    if (draft.get(`termination/${scope.scope}/${scope.name}`)?.stop !== undefined) continue;
    emit({ type: 'termination.reset', ...scope });
    armTermination(deciding, scope);
  }
  return undefined;
}
