import type { ConditionObservations, Message, MessageBody, NewMessage, PlanTermination } from '@millrace/core';
import { observeLeaves, oversizeProblem, RequestError, taskDelta } from '@millrace/core';

/** A message that a command brings, with its body at this place among the command's new bodies. */
export const newMessage = ({ role, source, keep }: Message, body: number): NewMessage => ({
  role,
  source,
  body,
  ...(keep ? { keep: true as const } : {}),
});

/** Throws RequestError when a message exceeds the limit of runs. */
export function assertMessageSize(bodies: readonly MessageBody[], what: string): void {
  const reason = oversizeProblem(bodies, what);
  if (reason !== undefined) throw new RequestError('MESSAGE_TOO_LARGE', reason);
}

/** Returns the observation of a task by terminations; a new segment has no state yet. */
export const observeTask = (
  termination: PlanTermination,
  task: readonly MessageBody[],
): Promise<ConditionObservations> =>
  observeLeaves(termination, taskDelta(task), { cells: {}, signal: new AbortController().signal });
