import type { Message } from '@millrace/core';

/** The steps of a conversation with tools as an output tells of them: the shape that the YAML format's users know. */
export const traceOf = (messages: readonly Message[]): readonly Readonly<Record<string, unknown>>[] =>
  messages.map(({ role, content, metadata, source, toolCalls, toolCallId }) => ({
    role,
    content,
    metadata: { ...metadata, source },
    ...(toolCalls === undefined ? {} : { tool_calls: toolCalls.map(called) }),
    ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
  }));

const called = ({ id, name, arguments: written }: NonNullable<Message['toolCalls']>[number]) => ({
  id,
  type: 'function',
  function: { name, arguments: written },
});
