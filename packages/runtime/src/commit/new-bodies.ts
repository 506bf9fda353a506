import type { Message, MessageBody, NewMessage } from '@millrace/core';
import { oversizeProblem, RequestError } from '@millrace/core';

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
