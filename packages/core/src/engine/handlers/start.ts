import { rootScope } from '../../model/ids.ts';
import { attachedFiles } from '../../model/messages/attachment.ts';
import type { MessageBody } from '../../model/messages/message.ts';
import type { Budget } from '../../model/usage/budget.ts';
import type { NewMessage, NewPreset } from '../commands/new-message.ts';
import type { ConditionObservations } from '../commands/settlement.ts';
import type { KeptSignal } from '../records/event.ts';
import type { Origin } from '../records/origin.ts';
import { advance } from '../scopes/advance.ts';
import type { DecisionContext, Refusal } from '../state/decision-context.ts';
import { refuse } from '../state/decision-context.ts';
import { armTermination } from '../termination/alarms.ts';
import { stepTerminations } from '../termination/step-terminations.ts';
import { setTimeoutAlarm } from './alarm.ts';

/** Starts a run. */
export interface StartCommand {
  readonly type: 'start';
  readonly plan: string;
  readonly origin: Origin;
  /** Time limit of the run, in milliseconds. */
  readonly timeoutMs?: number;
  readonly budget?: Budget;
  readonly task: readonly NewMessage[];
  readonly presets: readonly NewPreset[];
  /** Events from outside that the run begins with. */
  readonly signals?: readonly NewSignal[];
  readonly bodies: readonly MessageBody[];
  /** Observations of the graph's termination in the task. */
  readonly observed?: ConditionObservations;
}

/** An event from outside that no node has taken yet. */
type NewSignal = Pick<KeptSignal, 'name' | 'fields'> & { readonly message: NewMessage };

/** Starts a run. Refused if it exists already. */
export function start(context: DecisionContext, command: StartCommand): Refusal | undefined {
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
