import type { Wait } from '../../definitions/outcome.ts';
import type { ActivationId, RunId, ScopeId } from '../../model/ids.ts';
import { rootScope } from '../../model/ids.ts';
import type { MessageBody, MessageRef } from '../../model/messages/message.ts';
import type { Plan } from '../../plan/plan.ts';
import type { NewMessage } from '../commands/new-message.ts';
import type { Event, EventOf } from '../records/event.ts';
import { runOf } from './lookup.ts';
import type { Draft } from './state.ts';

/**
 * Values that a decision depends on besides plan, state and command: the run's id, the time, and a token for its wakes.
 */
export interface DecisionStamp {
  readonly run: RunId;
  readonly at: number;
  /** Unique for each attempt to commit. */
  readonly nonce: string;
}

/** Context in which one command is decided; its draft changes with every event. */
export interface DecisionContext extends DecisionStamp {
  readonly plan: Plan;
  readonly draft: Draft;
  /** Maximum number of units whose results one command joins. */
  readonly unitsPerCommit: number;
  readonly emit: (event: Event) => void;
  /** Stores a message that the engine writes; the next event must name it, with the number of such messages as `bodies`. */
  readonly writeMessage: (body: MessageBody) => MessageRef;
  /** Returns the reference to a new message; to be called before the first event, which must carry `bodies`. */
  readonly toMessageRef: (message: NewMessage) => MessageRef;
}

/** Makes an activation ready: it has the next id of its run, and the token of this commit. */
export function readyActivation(
  { draft, emit, nonce }: DecisionContext,
  { scope, node, part, ...more }: Omit<EventOf<'activation.ready'>, 'type' | 'activation' | 'token'>,
): void {
  const activation = `a${runOf(draft).nextActivation}` as const;
  emit({ type: 'activation.ready', activation, scope, node, part, token: nonce, ...more });
}

/** Begins a wait of an activation. The event counts its waits, so that no two questions of an activation are the same. */
export function suspendActivation(
  { draft, emit }: Pick<DecisionContext, 'draft' | 'emit'>,
  activation: ActivationId,
  wait: Wait,
): void {
  const suspension = (draft.get(`activation/${activation}`)?.suspensions ?? 0) + 1;
  emit({ type: 'activation.suspended', activation, wait, ...(suspension === 1 ? {} : { suspension }) });
}

/** Ends the run. The event names the resumption that it is the end of, so that no two ends of a run are the same. */
export function finishRun(
  { draft, emit }: Pick<DecisionContext, 'draft' | 'emit'>,
  end: Omit<EventOf<'run.finished'>, 'type' | 'resumed'>,
): void {
  const { resumed } = runOf(draft);
  emit({ type: 'run.finished', ...end, ...(resumed === undefined ? {} : { resumed }) });
}

/** The id of the next scope; the first is the root's. */
export const nextScope = (draft: Draft): ScopeId =>
  draft.get('run') === undefined ? rootScope : `s${runOf(draft).nextScope}`;

/** Refusal of a command that does not apply; the run is unchanged. */
export interface Refusal {
  readonly type: 'refused';
  readonly code: string;
  readonly message: string;
}

/** Returns the refusal of a command. */
export const refuse = (code: string, message: string): Refusal => ({ type: 'refused', code, message });
