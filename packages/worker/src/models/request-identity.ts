import type { ChatMessage, ChatRequest } from '@millrace/core';

/**
 * Returns the part of a request by which its step is recognised: what the author wrote and the conversation. Settings of
 * repetitions, limits and caches may change without a new call, and so may the ids that a provider draws for calls of tools, which
 * are replaced by their order.
 */
export function requestIdentity(request: ChatRequest): unknown {
  const { apiKey: _secret, retry: _retry, rateLimit: _limit, reuse: _reuse, messages, ...asked } = request;
  const ordinals = new Map<string, string>();
  const ordinalOf = (id: string): string => {
    const known = ordinals.get(id) ?? `call ${ordinals.size + 1}`;
    ordinals.set(id, known);
    return known;
  };
  return { ...asked, messages: messages.map((message) => withoutIds(message, ordinalOf)) };
}

function withoutIds(message: ChatMessage, ordinalOf: (id: string) => string): ChatMessage {
  if (message.toolCalls === undefined && message.toolCallId === undefined) return message;
  const { toolCalls, toolCallId, ...others } = message;
  return {
    ...others,
    ...(toolCalls === undefined ? {} : { toolCalls: toolCalls.map((call) => ({ ...call, id: ordinalOf(call.id) })) }),
    ...(toolCallId === undefined ? {} : { toolCallId: ordinalOf(toolCallId) }),
  };
}
