import type { MessageRef } from '../../model/messages/message.ts';
import type { SignalFacts } from '../../model/messages/signal.ts';

/** An event from outside, for the nodes that wait for it. */
export type SignalEvent = {
  readonly type: 'signal.received';
  readonly name: string;
  /** Id that its sender gave it; the run accepts each id once. */
  readonly id?: string;
  readonly message: MessageRef;
  /** The values that filters of the workflow look at. */
  readonly facts: SignalFacts;
};

/** An event that arrived before a node waits for it. */
export type KeptSignal = Pick<SignalEvent, 'name' | 'message' | 'facts'>;

/** Name and id of an event that the run has accepted. */
export type AcceptedSignal = Required<Pick<SignalEvent, 'name' | 'id'>>;
