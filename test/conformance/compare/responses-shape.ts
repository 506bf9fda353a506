import type { ChatMessage } from '@millrace/core';
import { textOf } from '@millrace/core';

/** A message as the recorder may have noted it: one of these contents. */
export interface RecordedMessage {
  readonly role: string;
  readonly contents: readonly string[];
}

/**
 * Returns what the recorded engine sends to its first API for the same conversation: an assistant's text and each of its
 * calls as a message of its own, and one of its own errors in lower case.
 */
export const responsesShape = (messages: readonly ChatMessage[]): readonly RecordedMessage[] =>
  messages.flatMap((message): RecordedMessage[] => {
    const { role, toolCalls = [] } = message;
    if (role === 'tool') return [{ role, contents: contentsOf(message).map(resultOf) }];
    if (toolCalls.length === 0) return [noted(message)];
    const said = textOf(message) === '' ? [] : [noted(message)];
    return [...said, ...toolCalls.map(() => ({ role, contents: [''] }))];
  });

/** Returns what the recorded engine sends to its second API, which is ours. */
export const chatShape = (messages: readonly ChatMessage[]): readonly RecordedMessage[] => messages.map(noted);

const noted = (message: ChatMessage): RecordedMessage => ({ role: message.role, contents: contentsOf(message) });

/** The parts of a message as one text: the recorder joins them, and what is no text it names or leaves out. */
function contentsOf(message: ChatMessage): readonly string[] {
  const { content } = message;
  if (typeof content === 'string') return [content];
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return [...new Set([textOf(message), texts.join('\n'), texts.join('')])];
}

const resultOf = (content: string): string => content.replace(/^Error: Tool/, 'error: Tool');
