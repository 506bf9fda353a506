import { rootScope } from '../../model/ids.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { Command } from '../commands/command.ts';
import type { Refusal } from '../commands/refusal.ts';
import { refuse } from '../commands/refusal.ts';
import { inputObstacle } from '../evolve/forked-input.ts';
import type { Origin } from '../records/origin.ts';
import { inheritedTags } from '../records/origin.ts';
import { advanceAll } from '../scopes/advance.ts';
import type { DecisionContext } from '../state/decision-context.ts';
import { isWaiting } from '../state/live.ts';
import { runOf } from '../state/lookup.ts';
import { workspaceFor } from '../state/workspace-lock.ts';
import { skipExits } from '../termination/exits.ts';
import { restartTerminationTimers } from '../termination/step-terminations.ts';
import { clearWaitAlarm } from '../termination/wait-alarms.ts';
import { setTimeoutAlarm } from './alarm.ts';

/** Starts a run with the history of another one, which is folded already, and executes one activation again. */
export function fork(context: DecisionContext, command: Extract<Command, { type: 'fork' }>): Refusal | undefined {
  const { plan, draft, emit, toMessageRef, nonce } = context;
  const { of, activation, output, input, until, told, definition, replay } = command;
  const record = draft.get(`activation/${activation}`);
  if (record === undefined)
    return refuse(
      'ACTIVATION_UNKNOWN',
      `Run ${of} cannot be forked at activation ${activation}: a termination dropped it before it had a result. Fork the run at an earlier activation.`,
    );
  if (record.part === 'exit' && record.scope === rootScope)
    return refuse(
      'ACTIVATION_UNKNOWN',
      `Run ${of} cannot be forked at activation ${activation}: it is an exit node of the stopped run, and nothing follows it. Fork the run at an earlier activation.`,
    );
  const obstacle = input === undefined ? undefined : inputObstacle(draft, record);
  if (obstacle !== undefined)
    return refuse(
      'FORK_INPUT_FIXED',
      `Activation ${activation} of run ${of} cannot have another input: ${obstacle}. Give it an output, or fork the run at an earlier activation.`,
    );
  skipExits(context);
  const frame = isWaiting(record) ? workspaceFor(plan, draft, record) : undefined;
  const held = frame !== undefined && draft.get(`turn/${frame}`) !== undefined;
  emit({
    type: 'run.forked',
    of,
    activation,
    until,
    token: nonce,
    ...(held ? { held } : {}),
    ...(told ? { told } : {}),
    ...(output === undefined ? {} : { output: toMessageRef(output) }),
    ...(input === undefined ? {} : { input: input.map(toMessageRef) }),
    ...(command.plan === runOf(draft).plan ? {} : omitUndefined({ plan: command.plan, definition })),
    ...changedTags(draft.get('origin')),
    ...omitUndefined({ replay }),
  });
  clearWaitAlarm(context, activation);
  setTimeoutAlarm(context);
  restartTerminationTimers(context);
  advanceAll(context);
  return undefined;
}

/** Returns the tags of a fork where they are others than those of the original run. */
function changedTags(origin: Origin | undefined) {
  const tags = origin && inheritedTags(origin);
  return tags?.length === origin?.tags?.length ? {} : { tags: tags ?? [] };
}
