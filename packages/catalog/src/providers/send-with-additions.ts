import { createHash } from 'node:crypto';
import type { AskedModel, ChatMessage, ChatReply, ChatRequest, ModelProfile, ProviderCall } from '@millrace/core';
import { noRetries } from '@millrace/core';
import type { ModelCallContext } from '../model-calls/model-call.ts';
import type { Added, Additions } from './additions.ts';
import { additionsTo, refusedAddition } from './additions.ts';
import type { SplitParams } from './neutral-params.ts';
import { splitParams } from './neutral-params.ts';
import { submitTool, withSubmittedText } from './output-form.ts';

/** A request that is ready to be written in the form of an API. */
export interface PreparedRequest {
  readonly request: ChatRequest;
  readonly params: SplitParams;
  readonly additions: Additions;
  readonly profile: ModelProfile;
}

/** What decides on the additions to a request, beside the request itself. */
type Deciding = Pick<ProviderCall, 'profile' | 'engine' | 'cacheKey'>;
/** What decides on a repetition as well. */
type Sending = Deciding & Pick<ModelCallContext, 'reported'>;

const nothingRefused: ReadonlySet<Added> = new Set();

/** Prepares a request for a server that has refused these additions. */
export function prepareRequest(
  request: ChatRequest,
  { profile, engine, cacheKey }: Deciding,
  refused: ReadonlySet<Added> = nothingRefused,
): PreparedRequest {
  const params = splitParams(request.params);
  const additions = additionsTo({ request, params, profile, engine, cacheKey, refused });
  const messages = messagesFor(request, params.alternate || refused.has('separate_roles'), additions);
  const { output } = additions;
  const tools = output?.type === 'tool' ? { tools: [...(request.tools ?? []), submitTool(output.schema)] } : {};
  return { request: { ...request, messages, ...tools }, params, additions, profile };
}

/** Returns what is added to a request of a node that is in a cycle, has tools and writes no params; for people. */
export function describeAdditions({ provider, model }: AskedModel, profile: ModelProfile): Omit<Additions, 'own'> {
  const tools = [{ name: 'tool', description: '', parameters: {} }];
  const reuse = { whole: true, start: true };
  const request = { provider, model, messages: [], params: {}, tools, reuse, retry: noRetries };
  const { own: _own, limitName, ...added } = prepareRequest(request, { profile }).additions;
  return { limitName, ...added };
}

/** Number of models whose refusals this process remembers. */
const mostRemembered = 1000;
/** Additions that servers have refused, by provider, server and model. */
const refusals = new Map<string, Set<Added>>();

/**
 * Sends a request with what Millrace adds to it. A server that refuses an addition has charged nothing, so it gets the
 * request again without it; later requests of this process leave it out from the start.
 */
export async function sendWithAdditions(
  request: ChatRequest,
  { reported, ...deciding }: Sending,
  send: (prepared: PreparedRequest) => Promise<ChatReply | undefined>,
): Promise<ChatReply | undefined> {
  const refused = refusalsOf(request);
  for (const dropped: Added[] = []; ; ) {
    // Other requests for the model, which were sent at the same time, may add to what is refused.
    const before = new Set(refused);
    const prepared = prepareRequest(request, deciding, before);
    try {
      const sent = await send(prepared);
      const reply = prepared.additions.output?.type === 'tool' && sent !== undefined ? withSubmittedText(sent) : sent;
      if (reply === undefined || dropped.length === 0) return reply;
      return { ...reply, warnings: [...(reply.warnings ?? []), droppedWarning(request, dropped)] };
    } catch (error) {
      const added = refusedAddition(error, prepared.additions, reported());
      if (added === undefined || before.has(added)) throw error;
      refused.add(added);
      dropped.push(added);
    }
  }
}

function refusalsOf({ provider, baseUrl = '', model, output }: ChatRequest): Set<Added> {
  // A server may refuse one schema, and accept another.
  const schema = output && createHash('sha256').update(JSON.stringify(output.schema)).digest('base64');
  const key = JSON.stringify([provider, baseUrl, model, schema]);
  const known = refusals.get(key) ?? new Set<Added>();
  if (refusals.size >= mostRemembered) refusals.clear();
  refusals.set(key, known);
  return known;
}

const droppedWarning = ({ model }: ChatRequest, dropped: readonly Added[]) => ({
  code: 'W_PARAM_DROPPED',
  message: `The model "${model}" refused ${dropped.map((added) => descriptions[added]).join(' and ')}, which Millrace had added; the request was sent again without.`,
});

const descriptions: { readonly [One in Added]: string } = {
  native_output: 'a form of its answer',
  protocol: 'the API that was chosen',
  temperature: 'a temperature',
  limit: 'the name of the limit of its answer',
  forced_choice: 'a forced choice of tools',
  tool_choice: 'a choice of tools',
  include: 'to return its reasoning encrypted',
  store: 'the instruction to store nothing',
  tier: 'the service tier',
  cache_control: 'to keep a part of its prompt',
  cache_options: 'to keep no more than is marked',
  cache_breakpoint: 'a mark of what to keep',
  cache_key: 'a name of its cache',
  separate_roles: 'several messages of one role in a row',
};

function messagesFor(
  { messages }: ChatRequest,
  alternate: boolean,
  { instructions }: Additions,
): readonly ChatMessage[] {
  const instructed = instructions === undefined ? messages : withInstruction(messages, instructions.join('\n\n'));
  return alternate ? joinedByRole(instructed) : instructed;
}

/** Adds sentences to the end of the system prompt. */
function withInstruction(messages: readonly ChatMessage[], instruction: string): readonly ChatMessage[] {
  const [first, ...rest] = messages;
  if (first?.role !== 'system' || typeof first.content !== 'string')
    return [{ role: 'system', content: instruction }, ...messages];
  return [{ ...first, content: `${first.content}\n\n${instruction}`.trim() }, ...rest];
}

/** Joins messages of the same role that follow each other, for servers that refuse them; calls and results stay apart. */
function joinedByRole(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const whole: ChatMessage[] = [];
  for (const message of messages) {
    const last = whole.at(-1);
    const joins = last?.role === message.role && message.role !== 'tool' && !last.toolCalls && !message.toolCalls;
    if (last === undefined || !joins) whole.push(message);
    else whole[whole.length - 1] = { ...last, content: joinedContent(last.content, message.content) };
  }
  return whole;
}

function joinedContent(a: ChatMessage['content'], b: ChatMessage['content']): ChatMessage['content'] {
  if (typeof a === 'string' && typeof b === 'string') return [a, b].filter((text) => text !== '').join('\n\n');
  return [...blocksOf(a), ...blocksOf(b)];
}

const blocksOf = (content: ChatMessage['content']) =>
  typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
