import { attachedFiles } from '../../model/attachment.ts';
import { rootScope } from '../../model/ids.ts';
import type { Command } from '../commands/command.ts';
import type { Refusal } from '../commands/refusal.ts';
import { refuse } from '../commands/refusal.ts';
import { advance } from '../scopes/advance.ts';
import type { Deciding } from '../state/decision-context.ts';
import { armTermination } from '../termination/alarms.ts';
import { watchTerminations } from '../termination/step-terminations.ts';
import { setTimeoutAlarm } from './alarm.ts';

/** Begins a run, unless it has begun already. */
export function start(deciding: Deciding, command: Extract<Command, { type: 'start' }>): Refusal | undefined {
  const { draft, emit, refOf } = deciding;
  if (draft.get('run') !== undefined) return refuse('RUN_EXISTS', 'A run with this id has been started already.');
  const { plan, origin, timeoutMs, budget } = command;
  emit({
    type: 'run.started',
    plan,
    origin,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(budget === undefined ? {} : { budget }),
  });
  setTimeoutAlarm(deciding);
  emit({
    type: 'graph.entered',
    scope: rootScope,
    graph: '',
    task: command.task.map(refOf),
    presets: command.presets.map((preset) => ({ ...preset, messages: preset.messages.map(refOf) })),
  });
  const files = attachedFiles(command.bodies, deciding.at);
  if (files.length > 0) emit({ type: 'files.attached', frame: rootScope, files });
  watchTerminations(deciding, [{ scope: rootScope, name: '', leaves: command.observed ?? {} }]);
  armTermination(deciding, { scope: rootScope, name: '' });
  advance(deciding, rootScope);
  return undefined;
}
