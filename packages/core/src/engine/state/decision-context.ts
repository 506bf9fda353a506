import type { ActivationId, RunId, ScopeId } from '../../model/ids.ts';
import { rootScope } from '../../model/ids.ts';
import type { MessageBody, MessageRef } from '../../model/message.ts';
import type { Plan } from '../../plan/plan.ts';
import type { NewMessage } from '../commands/command.ts';
import type { Event } from '../records/event.ts';
import { runOf } from './lookup.ts';
import type { Draft } from './state.ts';

/** What a decision depends on beside plan, state and command: the run's name, the time, and a token for what it wakes. */
export interface DecisionStamp {
  readonly run: RunId;
  readonly at: number;
  /** Unique for each attempt to commit. */
  readonly nonce: string;
}

/** Deciding one command: a draft that moves on with every event. */
export interface DecisionContext extends DecisionStamp {
  readonly plan: Plan;
  readonly draft: Draft;
  readonly emit: (event: Event) => void;
  /** Stores a message that the engine says; the next event must be the one that names it, with `bodies: 1`. */
  readonly writeMessage: (body: MessageBody) => MessageRef;
  /** Makes a brought message one of the run; call before the first event, which must carry `bodies`. */
  readonly toMessageRef: (brought: NewMessage) => MessageRef;
}

/** The id of the next activation. */
export const nextActivation = (draft: Draft): ActivationId => `a${runOf(draft).nextActivation}`;
/** The id of the next scope; the first is the root's. */
export const nextScope = (draft: Draft): ScopeId =>
  draft.get('run') === undefined ? rootScope : `s${runOf(draft).nextScope}`;
