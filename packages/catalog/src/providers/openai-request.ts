import type { ChatMessage, ChatRequest, ModelTool } from '@millrace/core';
import type OpenAI from 'openai';
import { blockText, contentText } from '../model-calls/content.ts';
import type { OpenAIParams } from './openai-params.ts';

type Body = OpenAI.ChatCompletionCreateParamsNonStreaming;
type Part = OpenAI.ChatCompletionContentPart;

/** Returns the body of a request for a chat completion: the conversation, and all params of the API. */
export function chatBody({ model, messages, tools = [] }: ChatRequest, params: OpenAIParams): Body {
  const body = params.bodyWith({
    tools: tools.map(toolParam),
    ...(params.maxTokens.output == null ? {} : { [lengthParam(model)]: params.maxTokens.output }),
    ...(params.maxTokens.plain == null ? {} : { max_tokens: params.maxTokens.plain }),
  });
  // The params are the author's: the API refuses those that it does not accept.
  return { ...body, model, messages: messages.map(messageParam) } as Body;
}

/** Returns the name of the limit of the answer, which OpenAI's reasoning models have under another name. */
const lengthParam = (model: string): string => (/^(o\d|gpt-5)/.test(model) ? 'max_completion_tokens' : 'max_tokens');

const toolParam = ({ name, description, parameters }: ModelTool): OpenAI.ChatCompletionFunctionTool => ({
  type: 'function',
  function: { name, description, parameters: { ...parameters } },
});

function messageParam(message: ChatMessage): OpenAI.ChatCompletionMessageParam {
  const name = message.name === undefined ? {} : { name: message.name };
  switch (message.role) {
    case 'system':
      return { role: 'system', content: contentText(message), ...name };
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
        ...name,
      };
    }
  }
}

const toolCallParam = (call: NonNullable<ChatMessage['toolCalls']>[number]): OpenAI.ChatCompletionMessageToolCall => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: call.arguments },
});

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
