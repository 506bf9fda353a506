import type { Brought, Message } from '@millrace/core';

/** A message that a command brings, with its body at this place among the command's new bodies. */
export const brought = ({ role, source, keep }: Message, body: number): Brought => ({
  role,
  source,
  body,
  ...(keep ? { keep: true as const } : {}),
});
