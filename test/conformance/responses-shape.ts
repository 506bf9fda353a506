import type { ChatMessage } from '@millrace/core';
import { textOf } from '@millrace/core';

/** A message as the recorder noted it. */
export interface Noted {
  readonly role: string;
  readonly content: string;
}

/**
 * What the recorded engine sends to its first API for the same conversation: an assistant's text and each of its calls
 * as a message of its own, results of tools as JSON on one line, and one of its own errors in lower case.
 */
export const responsesShape = (messages: readonly ChatMessage[]): readonly Noted[] =>
  messages.flatMap((message): Noted[] => {
    const { role, toolCalls = [] } = message;
    const content = textOf(message);
    if (role === 'tool') return [{ role, content: result(content) }];
    if (toolCalls.length === 0) return [{ role, content }];
    return [...(content === '' ? [] : [{ role, content }]), ...toolCalls.map(() => ({ role, content: '' }))];
  });

/** What the recorded engine sends to its second API, which is ours. */
export const chatShape = (messages: readonly ChatMessage[]): readonly Noted[] =>
  messages.map((message) => ({ role: message.role, content: textOf(message) }));

function result(content: string): string {
  if (!content.startsWith('{\n')) return content.replace(/^Error: Tool/, 'error: Tool');
  return onOneLine(JSON.parse(content));
}

/** JSON with the separators of the recorded engine. */
function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}: ${onOneLine(field)}`);
  return `{${fields.join(', ')}}`;
}
