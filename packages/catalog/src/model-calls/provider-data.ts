import { createHash } from 'node:crypto';
import type { ChatMessage, ChatReply, ChatRequest, ToolCall } from '@millrace/core';
import { omitUndefined } from '@millrace/core';

/*
 * Data that a provider expects back, such as a signature of thoughts, is valid for one model of one account. So it is kept
 * with a mark of where it came from, and goes back there only.
 */

/** Asks with the data of this model and account alone, and marks the data in the reply. */
export async function withProviderData(
  request: ChatRequest,
  ask: (request: ChatRequest) => Promise<ChatReply>,
): Promise<ChatReply> {
  const { provider, model, baseUrl, apiKey } = request;
  const account = JSON.stringify([provider, model, baseUrl, apiKey]);
  const mark = `${createHash('sha256').update(account).digest('hex').slice(0, 16)}:`;
  const reply = await ask({ ...request, messages: request.messages.map((message) => ownedBy(mark, message)) });
  return marked(mark, reply);
}

function ownedBy(mark: string, { toolCalls, opaque, ...message }: ChatMessage): ChatMessage {
  if (toolCalls === undefined && opaque === undefined) return message;
  return {
    ...message,
    ...omitUndefined({ toolCalls: toolCalls?.map((call) => owned(mark, call)) }),
    ...owned(mark, { opaque }),
  };
}

/** Returns a value with the provider's data without its mark, or without the data of another model or account. */
function owned<T extends { readonly opaque?: string | undefined }>(
  mark: string,
  value: T,
): Omit<T, 'opaque'> & Pick<ToolCall, 'opaque'> {
  const { opaque, ...rest } = value;
  return opaque?.startsWith(mark) ? { ...rest, opaque: opaque.slice(mark.length) } : rest;
}

function marked(mark: string, { toolCalls, opaque, ...reply }: ChatReply): ChatReply {
  const calls = toolCalls?.map((call) =>
    call.opaque === undefined ? call : { ...call, opaque: `${mark}${call.opaque}` },
  );
  return {
    ...reply,
    ...omitUndefined({ toolCalls: calls, opaque: opaque === undefined ? undefined : `${mark}${opaque}` }),
  };
}
