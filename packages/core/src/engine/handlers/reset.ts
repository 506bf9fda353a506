import type { DecisionContext, Refusal } from '../state/decision-context.ts';
import { refuse } from '../state/decision-context.ts';
import { activeTerminations } from '../state/enclosing-terminations.ts';
import { isBlocked, isExecuting } from '../state/live.ts';
import { activationsOf, runOf } from '../state/lookup.ts';
import { armTermination } from '../termination/alarms.ts';

/** Resets all terminations. Refused while an activation is executing that they would count. */
export function reset(context: DecisionContext): Refusal | undefined {
  const { draft, plan, emit } = context;
  const { status } = runOf(draft);
  if (status !== 'running' && status !== 'paused')
    return refuse('RUN_NOT_ACTIVE', `The run is ${status}; its terminations start again when it is resumed.`);
  for (const [activation, record] of activationsOf(draft)) {
    if (isExecuting(record) || (status === 'running' && !isBlocked(record)))
      return refuse(
        'RUN_AT_WORK',
        `Activation ${activation} is executing or about to start, and the terminations would count it. Pause the run and wait until nothing is executing.`,
      );
  }
  for (const scope of activeTerminations(plan, draft)) {
    if (draft.get(`termination/${scope.scope}/${scope.name}`)?.stop !== undefined) continue;
    emit({ type: 'termination.reset', ...scope });
    armTermination(context, scope);
  }
  return undefined;
}
