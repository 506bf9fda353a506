import type { ActivationId, MessageId, RunId } from '../../model/ids.ts';
import { rootScope } from '../../model/ids.ts';
import type { MemoryWrite } from '../../model/memory.ts';
import type { MessageBody } from '../../model/messages/message.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { NewMessage } from '../commands/new-message.ts';
import { inputObstacle } from '../evolve/evolve-fork.ts';
import type { ArchivedSegment, Event } from '../records/event.ts';
import type { DefinitionRef, Origin, Replay } from '../records/origin.ts';
import { inheritedTags } from '../records/origin.ts';
import type { ElapsedTime } from '../records/stop.ts';
import { advanceAll } from '../scopes/advance.ts';
import type { DecisionContext, Refusal } from '../state/decision-context.ts';
import { refuse } from '../state/decision-context.ts';
import { isWaiting } from '../state/live.ts';
import { activationsOf, runOf, suspensionOf } from '../state/lookup.ts';
import type { State } from '../state/state.ts';
import { workspaceFor } from '../state/workspace-lock.ts';
import { clearWaitAlarm } from '../termination/alarms.ts';
import { skipExits } from '../termination/exits.ts';
import { restartTerminationTimers } from '../termination/step-terminations.ts';
import { setTimeoutAlarm } from './alarm.ts';

/** What a fork shares with the other run. */
export type ForkHistory =
  /** Its events, which the commit of the fork contains. */
  | { readonly type: 'events'; readonly events: readonly Event[] }
  /** Copies of archived parts that contain the events, and the state after them. */
  | { readonly type: 'parts'; readonly parts: readonly ArchivedSegment[]; readonly state: State };

/** Starts a run with the history of run `of`, and executes one of its activations again. */
export interface ForkCommand {
  readonly type: 'fork';
  readonly of: RunId;
  readonly plan: string;
  readonly history: ForkHistory;
  /** Bodies of the history that are stored with the run, under their ids. */
  readonly copies: readonly { readonly id: MessageId; readonly body: MessageBody }[];
  /** Time of the last event of the history, in milliseconds since 1970. */
  readonly until: number;
  /** The times that the terminations of the history had counted then. */
  readonly elapsed: readonly ElapsedTime[];
  readonly activation: ActivationId;
  /** The result of the activation; absent: it is executed again. */
  readonly output?: NewMessage;
  /** Input of the activation instead of the messages that it had. */
  readonly input?: readonly NewMessage[];
  /** Text of the workflow, if `plan` is another one than that of the history. */
  readonly definition?: DefinitionRef;
  /** The run repeats a fork under another plan, with the steps of its journal. */
  readonly replay?: Replay;
  /** The webhooks of the tenant are notified. */
  readonly told?: true;
  /** Contents of the memory stores that live as long as the run. */
  readonly memory: readonly MemoryWrite[];
  readonly bodies: readonly MessageBody[];
}

/** Starts a run with the history of another one, which is folded already, and executes one activation again. */
export function fork(context: DecisionContext, command: ForkCommand): Refusal | undefined {
  const { plan, draft, emit, at, toMessageRef, nonce } = context;
  const { of, activation, output, input, until, elapsed, told, definition, replay, history } = command;
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
  const held = frame !== undefined && draft.get(`lock/${frame}`) !== undefined;
  emit({
    type: 'run.forked',
    of,
    activation,
    until,
    ...(history.type === 'parts' ? { parts: history.parts } : {}),
    stoodStillMs: Math.max(0, at - until),
    token: nonce,
    ...(elapsed.length > 0 ? { elapsed } : {}),
    ...(held ? { held } : {}),
    ...(told ? { told } : {}),
    ...(output === undefined ? {} : { output: toMessageRef(output) }),
    ...(input === undefined ? {} : { input: input.map(toMessageRef) }),
    ...(command.plan === runOf(draft).plan ? {} : omitUndefined({ plan: command.plan, definition })),
    ...changedTags(draft.get('origin')),
    ...omitUndefined({ replay }),
  });
  clearWaitAlarm(context, activation);
  // An approval is of a call of its own run.
  askForApprovalsAgain(context);
  setTimeoutAlarm(context);
  restartTerminationTimers(context);
  advanceAll(context);
  return undefined;
}

/** Wakes the activations that wait for approvals, which ask again for those of the fork. */
function askForApprovalsAgain(context: DecisionContext): void {
  const { draft, emit, nonce } = context;
  for (const [activation, record] of activationsOf(draft)) {
    if (record.wait?.kind !== 'approval' || !isWaiting(record)) continue;
    clearWaitAlarm(context, activation);
    emit({ type: 'activation.renewed', activation, ...suspensionOf(draft, activation), token: nonce });
  }
}

/** Returns the tags of a fork where they are others than those of the original run. */
function changedTags(origin: Origin | undefined) {
  const tags = origin && inheritedTags(origin);
  return tags?.length === origin?.tags?.length ? {} : { tags: tags ?? [] };
}
