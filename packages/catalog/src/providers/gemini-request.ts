import type { Content, GenerateContentConfig, Part } from '@google/genai';
import type { Block, ChatMessage, ChatRequest, ToolCall } from '@millrace/core';
import { blockText, contentText, inlineContent } from '../model-calls/content.ts';
import { toolArguments } from '../model-calls/tool-arguments.ts';

/** Params that Millrace reads itself, or that belong to another provider. */
const ownParams: ReadonlySet<string> = new Set([
  'timeout',
  'tool_loop_limit',
  'stream',
  'protocol',
  'tools',
  'max_tokens',
]);

/** Returns the conversation as turns of the user and the model, without system messages. */
export function geminiContents({ messages }: ChatRequest): Content[] {
  const names = new Map(messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id, name }) => [id, name] as const)));
  const turns = messages.filter(({ role }) => role !== 'system').map((message) => turnOf(message, names));
  const whole: { role: string; parts: Part[] }[] = [];
  for (const { role, parts } of turns) {
    const last = whole.at(-1);
    if (last?.role === role) for (const part of parts) last.parts.push(part);
    else whole.push({ role, parts: [...parts] });
  }
  return whole;
}

/**
 * Returns the config beside the conversation. Params may be written as in Google's API (`maxOutputTokens`) or as in its
 * Python SDK (`max_output_tokens`); they are sent under the names of the API.
 */
export function geminiConfig({ messages, params, tools = [] }: ChatRequest): GenerateContentConfig {
  const system = messages
    .filter(({ role }) => role === 'system')
    .map(contentText)
    .join('\n\n');
  const passed = Object.entries(params).filter(([name, value]) => !ownParams.has(name) && value !== null);
  const { max_tokens: limit, tools: listed } = params;
  const declared = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
  }));
  const offered = [
    ...(Array.isArray(listed) ? listed : []),
    ...(declared.length === 0 ? [] : [{ functionDeclarations: declared }]),
  ];
  return {
    ...(limit == null ? {} : { maxOutputTokens: limit }),
    ...Object.fromEntries(passed.map(([name, value]) => [camelCase(name), renamed(name, value)])),
    ...(system === '' ? {} : { systemInstruction: system }),
    ...(offered.length === 0 ? {} : { tools: offered }),
    // The params are the author's: the API refuses those that it does not accept.
  } as GenerateContentConfig;
}

const camelCase = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());

/** Renames keys to camel case, except inside a JSON Schema, whose names are the author's. */
function renamed(name: string, value: unknown): unknown {
  if (/schema$/i.test(name)) return value;
  if (Array.isArray(value)) return value.map((each) => renamed(name, each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [camelCase(key), renamed(key, inner)]));
}

function turnOf(message: ChatMessage, names: ReadonlyMap<string, string>): { role: string; parts: Part[] } {
  if (message.role === 'assistant') {
    const said = contentText(message);
    const text: Part[] = said === '' ? [] : [{ text: said }];
    const parts = [...text, ...(message.toolCalls ?? []).map(callPart)];
    return { role: 'model', parts: parts.length === 0 ? [{ text: '' }] : parts };
  }
  if (message.role === 'tool') {
    const { toolCallId: id = '' } = message;
    return {
      role: 'user',
      parts: [{ functionResponse: { name: names.get(id) ?? id, response: { output: contentText(message) } } }],
    };
  }
  const { content } = message;
  return { role: 'user', parts: typeof content === 'string' ? [{ text: content }] : content.map(partOf) };
}

function callPart({ name, arguments: written, opaque }: ToolCall): Part {
  const call: Part = { functionCall: { name, args: toolArguments(written) } };
  // Models that think refuse a conversation without the signatures of their thoughts.
  return opaque === undefined ? call : { ...call, thoughtSignature: opaque };
}

/** Returns a block as a part of the request. Attachments with an address are sent; others are described in words. */
function partOf(block: Block): Part {
  if (block.type === 'text' || block.type === 'data' || block.attachment.uri === undefined)
    return { text: blockText(block) };
  const { uri, mimeType } = block.attachment;
  const inline = inlineContent(uri);
  return inline === undefined
    ? { fileData: { fileUri: uri, mimeType } }
    : { inlineData: { data: inline.base64, mimeType: inline.mimeType } };
}
