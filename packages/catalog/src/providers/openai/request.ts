import type { ChatMessage, ModelTool, ToolCall } from '@millrace/core';
import type OpenAI from 'openai';
import { blockText, contentText } from '../../model-calls/content.ts';
import type { Additions } from '../additions.ts';
import type { PreparedRequest } from '../send-with-additions.ts';
import { commonAdditions, formParam, openaiParams, systemContent } from './params.ts';

type Body = OpenAI.ChatCompletionCreateParamsNonStreaming;
type Part = OpenAI.ChatCompletionContentPart;

/** Returns the body of a request for a chat completion: the conversation, all params of the API, and the additions. */
export function chatBody({ request, params, additions }: PreparedRequest): Body {
  const { model, messages, tools = [] } = request;
  const { limit, limitName, output } = additions;
  const body = openaiParams(params).bodyWith({
    tools: tools.map(toolParam),
    ...(limit === undefined ? {} : { [limitName]: limit }),
    ...(params.effort === undefined ? {} : { reasoning_effort: params.effort }),
    ...(output?.type === 'native' ? { response_format: { type: 'json_schema', json_schema: formParam(output) } } : {}),
    ...commonAdditions(additions, (name) => ({ type: 'function', function: { name } })),
  });
  // The params are the author's: the API refuses those that it does not accept.
  return { ...body, model, messages: messages.map((message) => messageParam(message, additions)) } as Body;
}

const toolParam = ({ name, description, parameters }: ModelTool): OpenAI.ChatCompletionFunctionTool => ({
  type: 'function',
  function: { name, description, parameters: { ...parameters } },
});

function messageParam(message: ChatMessage, additions: Additions): OpenAI.ChatCompletionMessageParam {
  const name = message.name === undefined ? {} : { name: message.name };
  switch (message.role) {
    case 'system':
      return { role: 'system', content: systemContent('text', contentText(message), additions), ...name };
    case 'user':
      return { role: 'user', content: userContent(message), ...name };
    case 'tool':
      return { role: 'tool', content: contentText(message), tool_call_id: message.toolCallId ?? '' };
    case 'assistant': {
      const calls = message.toolCalls ?? [];
      const content = contentText(message);
      if (calls.length === 0) return { role: 'assistant', content, ...name };
      return {
        role: 'assistant',
        content: content === '' ? null : content,
        tool_calls: calls.map(toolCallParam),
        // The fields that the server expects back with the calls, under the names that it gave them.
        ...returnedWith(calls[0]).message,
        ...name,
      };
    }
  }
}

const toolCallParam = (call: ToolCall): OpenAI.ChatCompletionMessageToolCall => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: call.arguments },
  ...returnedWith(call).call,
});

/** Returns the fields of a message and of a call that the server expects back; see `chat-completions.ts`. */
function returnedWith(call: ToolCall | undefined): { readonly message?: object; readonly call?: object } {
  if (call?.opaque === undefined) return {};
  const data: unknown = JSON.parse(call.opaque);
  // The same model may have answered over the Responses API before.
  return typeof data === 'object' && data !== null && !Array.isArray(data) ? data : {};
}

/**
 * Returns the content of a user's message. Images with an address are sent; other attachments are described in words.
 */
function userContent(message: ChatMessage): string | Part[] {
  if (typeof message.content === 'string') return message.content;
  const parts = message.content.map((block): Part => {
    const url = block.type === 'image' ? block.attachment.uri : undefined;
    return url === undefined ? { type: 'text', text: blockText(block) } : { type: 'image_url', image_url: { url } };
  });
  const [first] = parts;
  return parts.length === 1 && first?.type === 'text' ? first.text : parts;
}
