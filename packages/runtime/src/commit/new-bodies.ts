import type { Brought, Message, MessageBody } from '@millrace/core';
import { RequestError, tooLarge } from '@millrace/core';

/** A message that a command brings, with its body at this place among the command's new bodies. */
export const brought = ({ role, source, keep }: Message, body: number): Brought => ({
  role,
  source,
  body,
  ...(keep ? { keep: true as const } : {}),
});

/** Throws RequestError when a message is longer than runs keep. */
export function assertFits(bodies: readonly MessageBody[], what: string): void {
  const reason = tooLarge(bodies, what);
  if (reason !== undefined) throw new RequestError('MESSAGE_TOO_LARGE', reason);
}
