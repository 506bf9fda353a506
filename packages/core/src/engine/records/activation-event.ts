import type { StateWrite, Wait } from '../../definitions/outcome.ts';
import type { Failure } from '../../model/errors.ts';
import type { ActivationId, MessageId, QueueName, ScopeId } from '../../model/ids.ts';
import type { MessageRef } from '../../model/messages/message.ts';
import type { Amount } from '../../model/usage/budget.ts';
import type { Usage } from '../../model/usage/price.ts';
import type { ResultKey } from './keys.ts';
import type { StopReason } from './stop.ts';

/** Events of activations. */
export type ActivationEvent =
  | {
      readonly type: 'activation.ready';
      readonly activation: ActivationId;
      readonly scope: ScopeId;
      /** Node index; -1 for the count of votes of a voting root graph. */
      readonly node: number;
      readonly part: ActivationPart;
      readonly token: string;
      readonly unit?: number;
      /** Iteration of the cycle that it is part of; absent outside of cycles. */
      readonly turn?: number;
      /** The level of the cycle at which it is due. */
      readonly level?: number;
      /** List that holds its input, if that is not the node's inbox. */
      readonly from?: ResultKey;
      /** Another activation holds the lock of its workspace: no worker is woken until it is admitted. */
      readonly held?: true;
      /** The reason for which the graph that it closes was stopped. */
      readonly stop?: StopReason;
      /** The queue whose workers are woken; absent: the default queue. */
      readonly queue?: QueueName;
    }
  /** A worker has started it; written only for work that takes long enough to be noticed. */
  | {
      readonly type: 'activation.started';
      readonly activation: ActivationId;
      readonly attempt: number;
      readonly worker: string;
    }
  /** It continues later: a worker is woken with this token at `until`, in milliseconds since 1970. */
  | {
      readonly type: 'activation.postponed';
      readonly activation: ActivationId;
      readonly until: number;
      readonly token: string;
    }
  | { readonly type: 'activation.suspended'; readonly activation: ActivationId; readonly wait: Wait }
  | {
      readonly type: 'activation.answered';
      readonly activation: ActivationId;
      readonly answer: MessageRef;
      /** Name of the person who answered, if it is known. */
      readonly by?: string;
      readonly token: string;
      readonly held?: true;
    }
  /** Its question is withdrawn because it has more input; the worker that is woken with this token asks again. */
  | {
      readonly type: 'activation.renewed';
      readonly activation: ActivationId;
      readonly token: string;
      readonly held?: true;
    }
  | {
      readonly type: 'activation.completed';
      readonly activation: ActivationId;
      readonly outputs: readonly MessageRef[];
      readonly routes: readonly Route[];
      readonly state?: StateWrite;
      /** Problems that did not change the outcome, such as a condition that threw and counts as satisfied. */
      readonly warnings?: readonly string[];
      /** The failure after which its error policy or an edge continued. */
      readonly failure?: Failure;
      /** Its scope was being stopped already: no termination counts it. */
      readonly late?: true;
      /** Its output replaced its execution: a fork that the run repeats was given it. */
      readonly given?: true;
      /** Number of its writes to stores that live as long as the run; see {@link runStoreName}. */
      readonly remembered?: Readonly<Record<string, number>>;
    }
  /** The node opened a graph or a fan-out, whose result completes it. */
  | { readonly type: 'activation.opened'; readonly activation: ActivationId }
  /** It was held, and holds the lock of the workspace now. */
  | { readonly type: 'activation.admitted'; readonly activation: ActivationId; readonly token: string }
  | { readonly type: 'activation.failed'; readonly activation: ActivationId; readonly error: Failure };

/** Events of the steps of activations. */
export type StepEvent =
  | {
      readonly type: 'step.started';
      readonly activation: ActivationId;
      readonly step: number;
      readonly name: string;
      /** Hash of the request. */
      readonly request: string;
      /** New values of the tallies that it raises. */
      readonly counts?: Readonly<Record<string, number>>;
    }
  | {
      readonly type: 'step.completed';
      readonly activation: ActivationId;
      readonly step: number;
      readonly result: MessageId;
      readonly usage?: Usage;
      /** The model that the usage is of; absent without usage. */
      readonly model?: string;
      /** It failed; a retry of the activation tries it again. */
      readonly failed?: true;
      /** Charge that replaces its reservation in the budget; absent: nothing. */
      readonly charge?: Amount;
    };

/**
 * Part of a node's work that an activation does: all of it, opening its graph or fan-out, one unit, or closing; `exit`:
 * all of it, as an exit node of a graph that is being stopped.
 */
export type ActivationPart = 'whole' | 'open' | 'unit' | 'close' | 'exit';

/** Edge number of a route by which a node keeps its own output in its context. */
export const selfEdge = -1;

/** Effect of one output message on one outgoing edge whose condition held. */
export interface Route {
  /** Edge index, or {@link selfEdge}. */
  readonly edge: number;
  /** Index of the output. */
  readonly output: number;
  /** The processor dropped the message: the edge still clears contexts as it says, and does nothing else. */
  readonly dropped?: true;
  /** The message as delivered; absent on an edge that carries no data. */
  readonly message?: MessageRef;
}

/** Creates a route without the fields that are undefined, in the order in which the journal has them. */
export function createRoute(
  edge: number,
  output: number,
  { dropped, message }: { readonly dropped: true | undefined; readonly message: MessageRef | undefined },
): Route {
  if (dropped === undefined) return message === undefined ? { edge, output } : { edge, output, message };
  return message === undefined ? { edge, output, dropped } : { edge, output, dropped, message };
}
