import type { Wait } from '../../definitions/outcome.ts';
import type { MessageId, QueueName, ScopeId } from '../../model/ids.ts';
import type { MessageRef } from '../../model/messages/message.ts';
import type { Amount } from '../../model/usage/budget.ts';
import type { ActivationPart } from './activation-events.ts';
import type { ResultKey } from './keys.ts';
import type { StopReason } from './stop.ts';

/** An activation that is not settled, or that waits for a retry. */
export interface ActivationRecord {
  readonly scope: ScopeId;
  readonly node: number;
  readonly part: ActivationPart;
  readonly unit?: number;
  readonly token: string;
  readonly readyAt: number;
  /** Time since which a worker is known to execute it, in milliseconds since 1970. */
  readonly startedAt?: number;
  readonly attempt: number;
  readonly wait?: Wait;
  readonly answer?: MessageRef;
  /** It is held until it gets the lock of the workspace. */
  readonly held?: true;
  /** Result that replaces its execution. */
  readonly output?: MessageRef;
  /** Number of steps that were started, in all attempts. */
  readonly steps?: number;
  readonly from?: ResultKey;
  /** Worst case of its next call, for which the budget has no room now. */
  readonly short?: Amount;
  /** The reason for which the graph that it closes was stopped. */
  readonly stop?: StopReason;
  /** It failed and waits for a retry; it does not count as live. */
  readonly failed?: true;
  /** The queue whose workers are woken for it; absent: the default queue. */
  readonly queue?: QueueName;
}

/** A step of an activation. */
export interface StepRecord {
  readonly name: string;
  /** Hash of the request, by which a retry with a different request is detected. */
  readonly request: string;
  /** The tallies that this step raised, with their new values. */
  readonly counts?: Readonly<Record<string, number>>;
  /** Amount that is reserved for it while it is under way. */
  readonly reserved?: Amount;
  /** The stored result; absent while it is under way. */
  readonly result?: MessageId;
  /** It failed; a retry of the activation tries it again. */
  readonly failed?: true;
}
