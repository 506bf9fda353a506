import type { ChatMessage, ChatRequest, OfferedTool } from '@millrace/core';
import type OpenAI from 'openai';
import { blockText, contentText } from './content-text.ts';
import { ModelError } from './model-error.ts';

type Body = OpenAI.ChatCompletionCreateParamsNonStreaming;
type Part = OpenAI.ChatCompletionContentPart;

const defaultTimeoutSeconds = 300;

/** A chat completion request, and what goes beside its body. */
export interface OpenAIRequest {
  readonly body: Body;
  readonly timeoutMs: number;
  readonly headers: Record<string, string>;
  readonly query: Record<string, unknown>;
}

/**
 * The request that the Python SDK would send for the same params: all of them go into the body as they are, except for
 * those that the SDK (`timeout` in seconds, `extra_headers`, `extra_query`, `extra_body`) or Millrace (`protocol`,
 * `tool_loop_limit`) reads itself, for `stream`, which nothing here could use, and for those that are null.
 */
export function openaiRequest({ model, messages, params, tools: bound = [] }: ChatRequest): OpenAIRequest {
  const {
    timeout,
    extra_headers,
    extra_query,
    extra_body,
    protocol,
    tool_loop_limit,
    stream,
    max_output_tokens,
    tools,
    tool_choice,
    ...rest
  } = params;
  if (protocol === 'responses') {
    throw new ModelError(
      'MODEL_BAD_REQUEST',
      'The params ask for `protocol: responses`, which is not supported. Write `protocol: chat` or leave it out.',
      {
        type: 'ValueError',
      },
    );
  }
  const offered = [...listOf(tools), ...bound.map(toolParam)];
  const choice = tool_choice ?? (bound.length === 0 ? undefined : 'auto');
  const sent = Object.entries({
    ...(max_output_tokens == null ? {} : { max_tokens: max_output_tokens }),
    ...rest,
    tools: offered.length === 0 ? null : offered,
    tool_choice: choice ?? null,
  });
  const body = { ...Object.fromEntries(sent.filter(([, value]) => value !== null)), ...record(extra_body) };
  return {
    // The params are the author's: what the model's API does not accept, it refuses itself.
    body: { ...body, model, messages: messages.map(messageParam) } as Body,
    timeoutMs: timeoutMs(timeout),
    headers: Object.fromEntries(Object.entries(record(extra_headers)).map(([name, value]) => [name, String(value)])),
    query: record(extra_query),
  };
}

function timeoutMs(timeout: unknown): number {
  const seconds = timeout == null ? defaultTimeoutSeconds : Number(timeout);
  if (seconds > 0 && Number.isFinite(seconds)) return Math.ceil(seconds * 1000);
  throw new ModelError(
    'MODEL_BAD_REQUEST',
    `The param \`timeout\` is ${JSON.stringify(timeout)}. Write a number of seconds above 0.`,
    {
      type: 'ValueError',
    },
  );
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

function listOf(tools: unknown): readonly unknown[] {
  if (tools == null) return [];
  if (Array.isArray(tools)) return tools;
  throw new ModelError('MODEL_BAD_REQUEST', 'The param `tools` is no list. Write a list of tools, or leave it out.', {
    type: 'ValueError',
  });
}

const toolParam = ({ name, description, parameters }: OfferedTool): OpenAI.ChatCompletionFunctionTool => ({
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

/** Images that have an address are sent as such; every other attachment is described in words. */
function userContent(message: ChatMessage): string | Part[] {
  if (typeof message.content === 'string') return message.content;
  const parts = message.content.map((block): Part => {
    const url = block.type === 'image' ? block.attachment.uri : undefined;
    return url === undefined ? { type: 'text', text: blockText(block) } : { type: 'image_url', image_url: { url } };
  });
  const [first] = parts;
  return parts.length === 1 && first?.type === 'text' ? first.text : parts;
}
