import type { MessageId, State } from '@millrace/core';

/**
 * Returns every message that a state may refer to: all texts in it that look like a message id. Keeping a body because
 * some other text looks like an id costs little; losing one would cost the run.
 */
export function referencedMessages({ records, lists }: State): ReadonlySet<MessageId> {
  const found = new Set<MessageId>();
  for (const value of records.values()) collect(value, found);
  for (const entries of lists.values()) collect(entries, found);
  return found;
}

function collect(value: unknown, found: Set<MessageId>): void {
  if (typeof value === 'string') {
    if (isMessageId(value)) found.add(value);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const part of Object.values(value)) collect(part, found);
}

const isMessageId = (text: string): text is MessageId => /^m\d+$/.test(text);
