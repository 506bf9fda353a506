import type { Message } from '@millrace/core';

/** A unit with a part of a message: it speaks in the same role and for the same source, and says how it was cut. */
export const createUnit = (message: Message, content: string, facts: Readonly<Record<string, unknown>>): Message => ({
  role: message.role,
  content,
  source: message.source,
  keep: false,
  metadata: { ...message.metadata, ...facts },
});
