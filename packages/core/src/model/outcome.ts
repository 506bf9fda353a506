import type { Message } from './message.ts';

/** Why something failed, for the journal and for people. `code` has a page in docs/errors. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** A later attempt may succeed without anybody doing anything. */
  readonly transient?: true;
}

/** What a node waits for that only somebody outside can give. */
export interface Wait {
  /** `budget`: whether the run may spend more. */
  readonly kind: 'human' | 'budget';
  /** What the person is asked to do; empty when the node has no description. */
  readonly prompt: string;
  /** The node's input as text, for the person to read. */
  readonly input: string;
  /** What the node's memories hold that fits, as text; absent when there is nothing. */
  readonly memory?: string;
}

/** A node's own state across activations, such as a counter's value. */
export interface StateWrite {
  /** The value that was read; the write counts only if it is still that value. */
  readonly read: unknown;
  /** The new value; null forgets it. */
  readonly write: unknown;
}

/** What executing an activation came to. */
export type Outcome =
  | {
      readonly type: 'completed';
      /** No outputs: nothing is delivered and nothing is triggered. */
      readonly outputs: readonly Message[];
      readonly state?: StateWrite;
      /** What the node's context window keeps instead of the outputs, such as the tool calls that led to them. */
      readonly context?: readonly Message[];
    }
  | { readonly type: 'suspended'; readonly wait: Wait }
  | { readonly type: 'failed'; readonly error: Failure };

/** The outcome of a node that produced these messages. */
export const completed = (outputs: readonly Message[], state?: StateWrite): Outcome =>
  state === undefined ? { type: 'completed', outputs } : { type: 'completed', outputs, state };
