import type { Content, GenerateContentConfig, Part } from '@google/genai';
import type { Block, ChatMessage, ChatRequest, ModelProfile, ToolCall } from '@millrace/core';
import { isMapping } from '@millrace/core';
import { blockText, contentText, inlineContent } from '../model-calls/content.ts';
import { ModelError } from '../model-calls/model-error.ts';
import { toolArguments } from '../model-calls/tool-arguments.ts';
import type { Additions } from './additions.ts';
import type { SplitParams } from './neutral-params.ts';
import type { PreparedRequest } from './send-with-additions.ts';

/** Returns the conversation as turns of the user and the model, without system messages. */
export function geminiContents({ messages }: Pick<ChatRequest, 'messages'>, profile: ModelProfile): Content[] {
  const names = new Map(messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id, name }) => [id, name] as const)));
  const turns = messages.filter(({ role }) => role !== 'system').map((message) => turnOf(message, names));
  const whole: { role: string; parts: Part[] }[] = [];
  const isSigned = profile.echo === 'signature';
  for (const { role, parts: said } of turns) {
    const parts = isSigned && role === 'model' ? signed(said) : said;
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
export function geminiConfig({ request, params, additions, profile }: PreparedRequest): GenerateContentConfig {
  const { messages, tools = [] } = request;
  const { limit, temperature, tier, output } = additions;
  const system = messages
    .filter(({ role }) => role === 'system')
    .map(contentText)
    .join('\n\n');
  const passed = Object.entries(params.written)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [camelCase(name), renamed(name, value)] as const);
  assertOwnTransport(passed);
  const declared = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
  }));
  const offered = [...params.tools, ...(declared.length === 0 ? [] : [{ functionDeclarations: declared }])];
  return {
    ...(limit === undefined ? {} : { maxOutputTokens: limit }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(tier === undefined ? {} : { serviceTier: tier }),
    ...toolChoiceConfig(additions),
    ...effortConfig(params, profile),
    ...(output?.type === 'native' ? { responseMimeType: 'application/json', responseJsonSchema: output.schema } : {}),
    ...Object.fromEntries(passed),
    ...(system === '' ? {} : { systemInstruction: system }),
    ...(offered.length === 0 ? {} : { tools: offered }),
    // The params are the author's: the API refuses those that it does not accept.
  } as GenerateContentConfig;
}

/**
 * Refuses options of the SDK for what Millrace does itself: a call that the SDK repeats is billed again without having been reserved, and
 * the price of a model depends on its address.
 */
function assertOwnTransport(passed: readonly (readonly [name: string, value: unknown])[]): void {
  for (const [name, value] of passed) {
    if (name !== 'httpOptions' || !isMapping(value)) continue;
    const refused = ['retryOptions', 'baseUrl'].find((option) => value[option] != null);
    if (refused === undefined) continue;
    throw new ModelError(
      'MODEL_BAD_REQUEST',
      `The param \`http_options\` has \`${refused}\`. Write \`base_url\` and \`retry\` beside the params of the agent instead.`,
      { type: 'ValueError' },
    );
  }
}

function toolChoiceConfig({ toolChoice }: Additions): Record<string, unknown> {
  // The API's own default is auto.
  if (toolChoice === undefined || toolChoice === 'auto') return {};
  const named = typeof toolChoice === 'object' ? { allowedFunctionNames: [toolChoice.tool] } : {};
  const mode = toolChoice === 'none' ? 'NONE' : 'ANY';
  return { toolConfig: { functionCallingConfig: { mode, ...named } } };
}

/** Returns the config for an effort: newer models have levels, older ones a budget of which only 0 is a word. */
function effortConfig({ effort }: SplitParams, { thinking }: ModelProfile): Record<string, unknown> {
  if (effort === undefined) return {};
  if (effort === 'none' && thinking === 'budget') return { thinkingConfig: { thinkingBudget: 0 } };
  return { thinkingConfig: { thinkingLevel: effort } };
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

/**
 * Signature for calls that another model has made, which Google's documentation names for them: models that think refuse a
 * turn whose first call has none.
 */
const foreignSignature = 'skip_thought_signature_validator';

function signed(parts: readonly Part[]): readonly Part[] {
  const first = parts.findIndex((part) => part.functionCall !== undefined);
  const isForeign = first >= 0 && parts[first]?.thoughtSignature === undefined;
  return isForeign
    ? parts.map((part, at) => (at === first ? { ...part, thoughtSignature: foreignSignature } : part))
    : parts;
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
