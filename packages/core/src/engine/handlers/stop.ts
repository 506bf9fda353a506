import type { InFlight, StopReason } from '../records/stop.ts';
import { advanceAll, finishIfIdle } from '../scopes/advance.ts';
import type { DecisionContext, Refusal } from '../state/decision-context.ts';
import { refuse } from '../state/decision-context.ts';
import { runOf } from '../state/lookup.ts';
import { isExiting, skipExits } from '../termination/exits.ts';
import { haltScope } from '../termination/halt.ts';

/** Stops the run, or only the named scope, so that it can be resumed. */
interface StopCommand {
  readonly type: 'stop';
  readonly stop: StopReason;
  readonly inFlight: InFlight;
  readonly scope?: string;
}

/** Stops the run so that it can be resumed. A second stop can only cancel what the first one lets finish. */
export function stop(context: DecisionContext, command: StopCommand): Refusal | undefined {
  const { draft, emit } = context;
  const run = runOf(draft);
  const { inFlight } = command;
  if (run.status === 'failing')
    return refuse('RUN_NOT_ACTIVE', 'The run is failing. It ends when no activation is executing any more.');
  if (command.scope !== undefined) return stopScope(context, command.scope, command);
  if (run.status === 'stopping' && inFlight === 'drain') return undefined;
  emit({ type: 'run.stopping', stop: run.stop ?? command.stop, inFlight });
  if (isExiting(context)) skipExits(context);
  finishIfIdle(context);
  return undefined;
}

/** Stops all executions of a named scope in the run. */
function stopScope(context: DecisionContext, name: string, { stop, inFlight }: StopCommand): Refusal | undefined {
  const { entered } = runOf(context.draft);
  const scopes = entered?.filter((one) => one.name === name) ?? [];
  if (scopes.length === 0) return refuse('SCOPE_UNKNOWN', `No scope "${name}" is active in the run.`);
  for (const { scope } of scopes) haltScope(context, { scope, name, stop, inFlight });
  advanceAll(context);
  return undefined;
}
