import type Anthropic from '@anthropic-ai/sdk';
import type { Block, ChatMessage, ModelProfile, ToolCall } from '@millrace/core';
import { isMapping } from '@millrace/core';
import { blockText, contentText, inlineContent } from '../model-calls/content.ts';
import { toolArguments } from '../model-calls/tool-arguments.ts';
import type { Additions } from './additions.ts';
import type { SplitParams } from './neutral-params.ts';
import type { PromptCache } from './prompt-cache.ts';
import type { PreparedRequest } from './send-with-additions.ts';

type Body = Anthropic.MessageCreateParamsNonStreaming;
type Part = Anthropic.ContentBlockParam;

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: Part[];
}

/** Limit of the answer, which the API requires, for a model that is unknown; all models since Claude 3.5 support it. */
const usualMaxTokens = 8192;
/** Placeholder, because the API refuses messages without text. */
const emptyText = '(nothing)';

/** Returns the body of a request for a message: the conversation, all params of the API, and the additions. */
export function anthropicBody({ request, params, additions, profile }: PreparedRequest): Body {
  const { model, messages, tools = [] } = request;
  const { temperature, limit = profile.usual_limit ?? usualMaxTokens, tier, cache } = additions;
  const system = messages
    .filter(({ role }) => role === 'system')
    .map(contentText)
    .join('\n\n');
  const bound = tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters }));
  const offered = [...params.tools, ...bound];
  const mark = cache?.type === 'anthropic' ? breakpoints(cache) : undefined;
  const sent = Object.entries({
    ...(system === '' ? {} : { system: mark === undefined ? system : [{ type: 'text', text: system, ...mark.start }] }),
    ...mark?.end,
    ...(temperature === undefined ? {} : { temperature }),
    ...(tier === undefined ? {} : { service_tier: tier }),
    ...toolChoiceParam(additions),
    ...params.written,
    ...thinkingParam(params, profile),
    ...outputConfig(params, additions),
    max_tokens: limit,
    ...(offered.length === 0 ? {} : { tools: system === '' ? markedLast(offered, mark?.start) : offered }),
  }).filter(([, value]) => value !== null);
  const spoken = messages.filter(({ role }) => role !== 'system').map(messageParam);
  // The params are the author's: the API refuses those that it does not accept.
  return { ...Object.fromEntries(sent), model, messages: markedBefore(joined(spoken), mark?.end) } as Body;
}

/** Breakpoints of a request: fields of the system prompt, and of the request for its end. */
interface Breakpoints {
  readonly start: { readonly cache_control?: Anthropic.CacheControlEphemeral };
  readonly end: { readonly cache_control?: Anthropic.CacheControlEphemeral };
}

function breakpoints({ start, end, long }: Extract<PromptCache, { type: 'anthropic' }>): Breakpoints {
  const mark = { cache_control: { type: 'ephemeral' as const, ...(long ? { ttl: '1h' as const } : {}) } };
  return { start: start ? mark : {}, end: end ? mark : {} };
}

/** Blocks before a breakpoint at which the API still finds what it has kept. */
const lookback = 20;

/**
 * Marks the end of the request before, too, if the breakpoint at the end is too far from it: a turn may have many calls and
 * results.
 */
function markedBefore(turns: readonly Turn[], mark: Breakpoints['end'] = {}): readonly Turn[] {
  const last = turns.findLastIndex(({ role }) => role === 'assistant');
  const added = turns.slice(Math.max(0, last)).reduce((sum, { content }) => sum + content.length, 0);
  if (mark.cache_control === undefined || last < 1 || added < lookback) return turns;
  return turns.map((turn, at) => (at === last - 1 ? { ...turn, content: withMark(turn.content, mark) } : turn));
}

/** Returns the blocks of a user's turn with a breakpoint after them; all of its blocks may have one. */
const withMark = (blocks: readonly Part[], mark: Breakpoints['end']): Part[] =>
  blocks.map((block, at) => (at === blocks.length - 1 ? ({ ...block, ...mark } as Part) : block));

const markedLast = (tools: readonly unknown[], mark: Breakpoints['start'] = {}): readonly unknown[] =>
  tools.map((tool, at) => (at === tools.length - 1 && isMapping(tool) ? { ...tool, ...mark } : tool));

function toolChoiceParam({ toolChoice }: Additions): { readonly tool_choice?: Anthropic.ToolChoice } {
  // The API's own default is auto.
  if (toolChoice === undefined || toolChoice === 'auto') return {};
  if (typeof toolChoice === 'object') return { tool_choice: { type: 'tool', name: toolChoice.tool } };
  return { tool_choice: { type: toolChoice === 'required' ? 'any' : 'none' } };
}

/** Returns whether the model thinks, for an effort: models that think when they see fit are asked to. */
function thinkingParam({ effort, written }: SplitParams, { thinking }: ModelProfile): Record<string, unknown> {
  if (effort === undefined || 'thinking' in written || thinking !== 'adaptive') return {};
  return { thinking: { type: effort === 'none' ? 'disabled' : 'adaptive' } };
}

/** Returns the effort and the form of the answer. */
function outputConfig({ effort, written }: SplitParams, { output }: Additions): Record<string, unknown> {
  const own = {
    ...(effort === undefined || effort === 'none' ? {} : { effort }),
    ...(output?.type === 'native' ? { format: { type: 'json_schema', schema: output.schema } } : {}),
  };
  if (Object.keys(own).length === 0) return {};
  const { output_config: config } = written;
  return { output_config: { ...own, ...(typeof config === 'object' ? config : {}) } };
}

function messageParam(message: ChatMessage): Turn {
  switch (message.role) {
    case 'assistant':
      return {
        role: 'assistant',
        content:
          message.opaque === undefined ? nonEmptyParts(spokenParts(message)) : (JSON.parse(message.opaque) as Part[]),
      };
    case 'tool':
      return {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: message.toolCallId ?? '', content: contentText(message) }],
      };
    default: {
      const { content } = message;
      return {
        role: 'user',
        content: nonEmptyParts(typeof content === 'string' ? textParts(message) : content.map(partOf)),
      };
    }
  }
}

/**
 * Joins messages to one for each turn: the results of several calls belong in one message, directly after the calls.
 */
function joined(turns: readonly Turn[]): Turn[] {
  const whole: Turn[] = [];
  for (const turn of turns) {
    const last = whole.at(-1);
    if (last?.role === turn.role) for (const block of turn.content) last.content.push(block);
    else whole.push({ role: turn.role, content: [...turn.content] });
  }
  // A conversation must begin with the user.
  return whole[0]?.role === 'user' ? whole : [{ role: 'user', content: nonEmptyParts([]) }, ...whole];
}

const nonEmptyParts = (parts: Part[]): Part[] => (parts.length === 0 ? [{ type: 'text', text: emptyText }] : parts);

function textParts(message: ChatMessage): Part[] {
  const text = contentText(message);
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

/** Returns the parts of a reply. It begins with the thoughts that led to its first call: the API refuses a text before them. */
function spokenParts(message: ChatMessage): Part[] {
  const { toolCalls = [] } = message;
  const [first, ...others] = toolCalls;
  if (first === undefined) return textParts(message);
  const rest = others.flatMap((call) => [...thoughtParts(call), callPart(call)]);
  return [...thoughtParts(first), ...textParts(message), callPart(first), ...rest];
}

/** Returns the provider's own data that it expects back before a call. */
const thoughtParts = ({ opaque }: ToolCall): Part[] => (opaque === undefined ? [] : (JSON.parse(opaque) as Part[]));

const callPart = ({ id, name, arguments: written }: ToolCall): Part => ({
  type: 'tool_use',
  id,
  name,
  input: toolArguments(written),
});

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

/**
 * Returns a block as a part of the request. Images and PDF files with an address are sent; other attachments are
 * described in words.
 */
function partOf(block: Block): Part {
  const described: Part = { type: 'text', text: blockText(block) || emptyText };
  if ((block.type !== 'image' && block.type !== 'file') || block.attachment.uri === undefined) return described;
  const { uri } = block.attachment;
  const inline = inlineContent(uri);
  if (inline === undefined) {
    if (!uri.startsWith('http')) return described;
    const source = { type: 'url' as const, url: uri };
    return block.type === 'image' ? { type: 'image', source } : { type: 'document', source };
  }
  const media = imageTypes.find((type) => type === inline.mimeType);
  if (media !== undefined) return { type: 'image', source: { type: 'base64', media_type: media, data: inline.base64 } };
  if (inline.mimeType !== 'application/pdf') return described;
  return { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: inline.base64 } };
}
