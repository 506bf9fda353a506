import type { Block, ChatMessage, ModelTool } from '@millrace/core';
import type OpenAI from 'openai';
import { blockText, contentText } from '../../model-calls/content.ts';
import type { Additions } from '../additions.ts';
import type { PreparedRequest } from '../send-with-additions.ts';
import { commonAdditions, formParam, openaiParams, systemContent } from './params.ts';

type Body = OpenAI.Responses.ResponseCreateParamsNonStreaming;
type Item = OpenAI.Responses.ResponseInputItem;
type Part = OpenAI.Responses.ResponseInputContent;

/** Returns the body of a request for a response: the conversation as items, all params of the API, and the additions. */
export function responsesBody({ request, params, additions }: PreparedRequest): Body {
  const { model, messages, tools = [] } = request;
  const { limit, store, encrypted, output } = additions;
  const { reasoning, include, text } = params.written;
  const body = openaiParams(params).bodyWith({
    tools: tools.map(toolParam),
    ...(limit === undefined ? {} : { max_output_tokens: limit }),
    ...(store === undefined ? {} : { store }),
    ...commonAdditions(additions, (name) => ({ type: 'function', name })),
  });
  const effort = params.effort === undefined ? {} : { reasoning: { effort: params.effort, ...fieldsOf(reasoning) } };
  const included = encrypted === undefined ? {} : { include: withEncrypted(include) };
  const form =
    output?.type === 'native'
      ? { text: { format: { type: 'json_schema', ...formParam(output) }, ...fieldsOf(text) } }
      : {};
  // The params are the author's: the API refuses those that it does not accept.
  return {
    ...body,
    ...form,
    ...effort,
    ...included,
    model,
    input: messages.flatMap((message) => items(message, additions)),
  } as Body;
}

const fieldsOf = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});

const encryptedReasoning = 'reasoning.encrypted_content';

const withEncrypted = (include: unknown): readonly unknown[] => [
  ...new Set([...(Array.isArray(include) ? include : []), encryptedReasoning]),
];

const toolParam = ({ name, description, parameters }: ModelTool) => ({
  type: 'function',
  name,
  description,
  parameters,
  // Strict schemas have restrictions of their own, which tools of others do not meet.
  strict: false,
});

function items(message: ChatMessage, additions: Additions): Item[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: systemContent('input_text', contentText(message), additions) }];
    case 'user':
      return [{ role: 'user', content: userContent(message) }];
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.toolCallId ?? '', output: contentText(message) }];
    case 'assistant':
      return assistantItems(message);
  }
}

function assistantItems(message: ChatMessage): Item[] {
  const said = contentText(message);
  const text: Item[] = said === '' ? [] : [{ role: 'assistant', content: said }];
  const calls = (message.toolCalls ?? []).flatMap(({ id, name, arguments: written, opaque }): Item[] => [
    // The provider expects its own data back with the call.
    ...(opaque?.startsWith('[') ? (JSON.parse(opaque) as Item[]) : []),
    { type: 'function_call', call_id: id, name, arguments: written },
  ]);
  return [...text, ...calls];
}

function userContent({ content }: ChatMessage): string | Part[] {
  if (typeof content === 'string') return content;
  const parts = content.map(partOf);
  const [first] = parts;
  return parts.length === 1 && first?.type === 'input_text' ? first.text : parts;
}

/**
 * Returns a block as a part of the request. Images and files with an address are sent; others are described in words.
 */
function partOf(block: Block): Part {
  if (block.type === 'image' && block.attachment.uri !== undefined) {
    return { type: 'input_image', image_url: block.attachment.uri, detail: 'auto' };
  }
  if (block.type === 'file' && block.attachment.uri !== undefined) {
    const { uri, name } = block.attachment;
    return uri.startsWith('data:')
      ? { type: 'input_file', filename: name, file_data: uri }
      : { type: 'input_file', file_url: uri };
  }
  return { type: 'input_text', text: blockText(block) };
}
