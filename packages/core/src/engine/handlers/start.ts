import { rootScope } from '../../model/ids.ts';
import { attachedFiles } from '../../model/messages/attachment.ts';
import type { Command } from '../commands/command.ts';
import type { Refusal } from '../commands/refusal.ts';
import { refuse } from '../commands/refusal.ts';
import { advance } from '../scopes/advance.ts';
import type { DecisionContext } from '../state/decision-context.ts';
import { armTermination } from '../termination/alarms.ts';
import { stepTerminations } from '../termination/step-terminations.ts';
import { setTimeoutAlarm } from './alarm.ts';

/** Starts a run. Refused if it exists already. */
export function start(context: DecisionContext, command: Extract<Command, { type: 'start' }>): Refusal | undefined {
  const { draft, emit, toMessageRef } = context;
  if (draft.get('run') !== undefined) return refuse('RUN_EXISTS', 'A run with this id exists already.');
  const { plan, origin, timeoutMs, budget, signals = [] } = command;
  emit({
    type: 'run.started',
    plan,
    origin,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(budget === undefined ? {} : { budget }),
  });
  setTimeoutAlarm(context);
  emit({
    type: 'graph.entered',
    scope: rootScope,
    graph: '',
    task: command.task.map(toMessageRef),
    presets: command.presets.map((preset) => ({ ...preset, messages: preset.messages.map(toMessageRef) })),
  });
  for (const { message, ...kept } of signals)
    emit({ type: 'signal.received', ...kept, message: toMessageRef(message) });
  const files = attachedFiles(command.bodies, context.at);
  if (files.length > 0) emit({ type: 'files.attached', frame: rootScope, files });
  stepTerminations(context, [{ scope: rootScope, name: '', leaves: command.observed ?? {} }]);
  armTermination(context, { scope: rootScope, name: '' });
  advance(context, rootScope);
  return undefined;
}
