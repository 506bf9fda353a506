import type { ChatReply, ReplyEnd } from '@millrace/core';
import { defineProvider, omitUndefined } from '@millrace/core';
import { z } from 'zod';
import { boundedList } from '../model-calls/bounded-list.ts';
import type { ModelCallContext } from '../model-calls/model-call.ts';
import { callModel, connectionLost } from '../model-calls/model-call.ts';
import { anthropicBody } from './anthropic-request.ts';
import { loadSdk } from './sdk.ts';
import type { PreparedRequest } from './send-with-additions.ts';
import { sendWithAdditions } from './send-with-additions.ts';
import { anthropicUsage } from './usage.ts';

/** Provider of Anthropic's models over its API, and of compatible servers (`base_url`). */
export const anthropic = defineProvider({
  type: 'anthropic',
  summary: "Anthropic's models, or any server with the same API.",
  keyVariables: ['ANTHROPIC_API_KEY'],
  addressVariable: 'ANTHROPIC_BASE_URL',
  async chat(request, call) {
    const sdk = await loadSdk('anthropic', () => import('@anthropic-ai/sdk'));
    return callModel(request, call, {
      keyVariable: 'ANTHROPIC_API_KEY',
      api: 'Anthropic-compatible',
      ask: (own, context) => sendWithAdditions(own, { ...call, ...context }, (prepared) => ask(sdk, prepared, context)),
    });
  },
});

async function ask(
  { Anthropic }: typeof import('@anthropic-ai/sdk'),
  prepared: PreparedRequest,
  { apiKey, signal, timeoutMs, fetch, emit }: ModelCallContext,
): Promise<ChatReply | undefined> {
  const { request } = prepared;
  const client = new Anthropic(
    omitUndefined({
      apiKey,
      // The SDK would otherwise read other credentials from the environment.
      authToken: null,
      baseURL: request.baseUrl,
      fetch,
      // The agent's own policy retries.
      maxRetries: 0,
      logLevel: 'off',
    }),
  );
  withoutConsole(client);
  const body = anthropicBody(prepared);
  const options = { signal, timeout: timeoutMs };
  if (emit === undefined) return anthropicReply(await client.messages.create(body, options));
  const stream = client.messages.stream(body, options);
  stream.on('text', emit);
  const message = await stream.finalMessage().catch((error: unknown) => {
    throw isHalf(error) ? connectionLost(request.model) : error;
  });
  // The SDK returns what it has received when the connection ends, even if the message is incomplete.
  if (message.stop_reason === null) throw connectionLost(request.model);
  return anthropicReply(message);
}

/**
 * Lets a client send requests without what its SDK prints on the console of the worker about models that retire: a check
 * and the start of a run warn of these, with the facts of the installation. Streams use the same method.
 */
function withoutConsole(client: InstanceType<typeof import('@anthropic-ai/sdk').Anthropic>): void {
  const create = (body: { readonly stream?: boolean }, options: object) =>
    client.post('/v1/messages', { ...options, body, stream: body.stream ?? false });
  Object.assign(client.messages, { create });
}

const isHalf = (error: unknown): boolean => error instanceof Error && /stream ended|request ended/i.test(error.message);

const text = z.string();

const Part = z.looseObject({
  type: text,
  text: text.optional(),
  id: text.optional(),
  name: text.optional(),
  input: z.unknown().optional(),
  thinking: text.optional(),
});
type Part = z.infer<typeof Part>;

const Message = z.object({
  content: boundedList(Part),
  stop_reason: text.nullish(),
});

/** Ends by the stop reasons of the API. */
const ends = new Map<string, ReplyEnd>(
  Object.entries({
    end_turn: 'stop',
    stop_sequence: 'stop',
    tool_use: 'calls',
    max_tokens: 'length',
    model_context_window_exceeded: 'context',
    refusal: 'refusal',
    pause_turn: 'paused',
  }),
);

/** Returns the reply in a message; undefined if it is not a message. */
export function anthropicReply(message: unknown): ChatReply | undefined {
  const { data } = Message.safeParse(message);
  if (data === undefined) return undefined;
  const { content, stop_reason } = data;
  const usage = anthropicUsage(message);
  const calls = content.flatMap((part, at) => callOf(part, content.slice(0, at)));
  const end = ends.get(stop_reason ?? '') ?? 'unknown';
  const thoughts = content.flatMap(({ thinking }) => (thinking ? [thinking] : []));
  return {
    text: content.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join(''),
    end,
    ...(thoughts.length === 0 ? {} : { thoughts: thoughts.join('\n\n') }),
    // A reply that is continued goes back as it came.
    ...(end === 'paused' ? { opaque: JSON.stringify(content) } : {}),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    ...(usage === undefined ? {} : { usage }),
    ...(stop_reason == null ? {} : { finishReason: stop_reason }),
  };
}

/** Returns a call with the signed thoughts that led to it, because the API expects them back. */
function callOf({ type, id, name, input }: Part, before: readonly Part[]) {
  if (type !== 'tool_use' || id === undefined || name === undefined) return [];
  const own = before.slice(before.findLastIndex((part) => part.type === 'tool_use') + 1);
  const thoughts = own.filter((part) => part.type === 'thinking' || part.type === 'redacted_thinking');
  const call = { id, name, arguments: JSON.stringify(input ?? {}) };
  return [thoughts.length === 0 ? call : { ...call, opaque: JSON.stringify(thoughts) }];
}
