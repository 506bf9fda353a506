import type { Refusal } from '../commands/refusal.ts';
import { refuse } from '../commands/refusal.ts';
import type { DecisionContext } from '../state/decision-context.ts';
import { activeTerminations } from '../state/enclosing-terminations.ts';
import { isBlocked, isExecuting } from '../state/live.ts';
import { activationsOf, runOf } from '../state/lookup.ts';
import { armTermination } from '../termination/alarms.ts';

/** Lets all terminations begin anew, while nothing goes on that they would count. */
export function reset(context: DecisionContext): Refusal | undefined {
  const { draft, plan, emit } = context;
  const { status } = runOf(draft);
  if (status !== 'running' && status !== 'paused')
    return refuse('RUN_NOT_ACTIVE', `The run is ${status}; its terminations begin anew when it is resumed.`);
  for (const [activation, record] of activationsOf(draft)) {
    if (isExecuting(record) || (status === 'running' && !isBlocked(record)))
      return refuse(
        'RUN_AT_WORK',
        `Activation ${activation} is at work, or about to be, and would count. Pause the run and wait for it to finish.`,
      );
  }
  for (const scope of activeTerminations(plan, draft)) {
    if (draft.get(`termination/${scope.scope}/${scope.name}`)?.stop !== undefined) continue;
    emit({ type: 'termination.reset', ...scope });
    armTermination(context, scope);
  }
  return undefined;
}
