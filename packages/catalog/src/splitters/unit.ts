import type { Message } from '@millrace/core';

/** Returns a unit with a part of a message: it has the message's role and source, and metadata about the split. */
export const createUnit = (message: Message, content: string, facts: Readonly<Record<string, unknown>>): Message => ({
  role: message.role,
  content,
  source: message.source,
  keep: false,
  metadata: { ...message.metadata, ...facts },
});
