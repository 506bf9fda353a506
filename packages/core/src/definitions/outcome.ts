import type { Failure } from '../model/errors.ts';
import type { Message } from '../model/messages/message.ts';
import type { SignalFilter } from '../model/messages/signal.ts';

/** Events from outside that a node waits for. */
export interface AwaitedSignal {
  readonly name: string;
  readonly filter: SignalFilter;
  /** End of the wait, in milliseconds since 1970; absent: it has none. */
  readonly until?: number;
}

/** A question of a node to a person, or its wait for an event. */
export interface Wait {
  /** `budget`: the question is whether the run may spend more. `event`: no question; see `event`. */
  readonly kind: 'human' | 'budget' | 'event';
  readonly event?: AwaitedSignal;
  /** The request to the person; empty if the node has no description. */
  readonly prompt: string;
  /** The node's input as text, for the person to read. */
  readonly input: string;
  /** Matching memories of the node as text; absent if there are none. */
  readonly memory?: string;
}

/** A change of a node's state, such as a counter's value. */
export interface StateWrite {
  /** The value that was read; the write applies only if the state still has it. */
  readonly read: unknown;
  /** The new value; null deletes it. */
  readonly write: unknown;
}

/** Outcome of executing an activation. */
export type Outcome =
  | {
      readonly type: 'completed';
      /** No outputs: nothing is delivered and nothing is triggered. */
      readonly outputs: readonly Message[];
      readonly state?: StateWrite;
      /**
       * Messages that the node's context window keeps instead of the outputs, such as the tool calls that led to them.
       */
      readonly context?: readonly Message[];
    }
  | { readonly type: 'suspended'; readonly wait: Wait }
  /** The node is executed again at this time, in milliseconds since 1970; no worker is occupied until then. */
  | { readonly type: 'postponed'; readonly until: number }
  | { readonly type: 'failed'; readonly error: Failure };

/** Returns the outcome of a node that produced these messages. */
export const completed = (outputs: readonly Message[], state?: StateWrite): Outcome =>
  state === undefined ? { type: 'completed', outputs } : { type: 'completed', outputs, state };
