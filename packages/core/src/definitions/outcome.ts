import type { z } from 'zod';
import type { Failure } from '../model/failure.ts';
import type { Message } from '../model/messages/message.ts';
import type {
  AskedCall as AskedCallFields,
  Recorded,
  StateWrite as StateWriteSchema,
  Wait as WaitSchema,
} from '../model/recorded.ts';

/** A question of a node to a person, or its wait for an event. */
export type Wait = Recorded<typeof WaitSchema>;

/** A call of a tool that is made only if a person approves it. */
export type AskedCall = Recorded<z.ZodObject<typeof AskedCallFields>>;

/** Returns whether two questions show a person the same, or two waits are for the same event. */
export const isSameQuestion = (one: Wait, other: Wait): boolean =>
  one.kind === other.kind &&
  one.prompt === other.prompt &&
  one.input === other.input &&
  one.schema === other.schema &&
  one.event?.name === other.event?.name;

/** A change of a node's state: it applies only if the state still has the value that was read; null deletes it. */
export type StateWrite = Required<Recorded<typeof StateWriteSchema>>;

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
  /** `calls`: those that a wait of the kind `approval` asks about. */
  | { readonly type: 'suspended'; readonly wait: Wait; readonly calls?: readonly AskedCall[] }
  /** The node is executed again at this time, in milliseconds since 1970; no worker is occupied until then. */
  | { readonly type: 'postponed'; readonly until: number }
  | { readonly type: 'failed'; readonly error: Failure };

/** Returns the outcome of a node that produced these messages. */
export const completed = (outputs: readonly Message[], state?: StateWrite): Outcome =>
  state === undefined ? { type: 'completed', outputs } : { type: 'completed', outputs, state };
