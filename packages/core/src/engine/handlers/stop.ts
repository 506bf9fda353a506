import type { Command } from '../commands/command.ts';
import type { Refusal } from '../commands/refusal.ts';
import { refuse } from '../commands/refusal.ts';
import { advanceAll, finishIfIdle } from '../scopes/advance.ts';
import type { DecisionContext } from '../state/decision-context.ts';
import { runOf } from '../state/lookup.ts';
import { isExiting, skipExits } from '../termination/exits.ts';
import { haltScope } from '../termination/halt.ts';

/** Stops the run where it stands, so that it can be resumed. Being told again can only hurry it up. */
export function stop(context: DecisionContext, command: Extract<Command, { type: 'stop' }>): Refusal | undefined {
  const { draft, emit } = context;
  const run = runOf(draft);
  const { inFlight } = command;
  if (run.status === 'failing')
    return refuse('RUN_NOT_ACTIVE', 'The run is failing; it ends when nothing is at work any more.');
  if (command.scope !== undefined) return stopScope(context, command.scope, command);
  if (run.status === 'stopping' && inFlight === 'drain') return undefined;
  emit({ type: 'run.stopping', stop: run.stop ?? command.stop, inFlight });
  if (isExiting(context)) skipExits(context);
  finishIfIdle(context);
  return undefined;
}

/** Stops what goes on of a named scope, wherever in the run that is. */
function stopScope(
  context: DecisionContext,
  name: string,
  { stop, inFlight }: Extract<Command, { type: 'stop' }>,
): Refusal | undefined {
  const { entered } = runOf(context.draft);
  const scopes = entered?.filter((one) => one.name === name) ?? [];
  if (scopes.length === 0) return refuse('SCOPE_UNKNOWN', `Nothing goes on in a scope "${name}" of the run.`);
  for (const { scope } of scopes) haltScope(context, { scope, name, stop, inFlight });
  advanceAll(context);
  return undefined;
}
