import type { ChatReply, ChatRequest } from '@millrace/core';
import { defineProvider, omitUndefined } from '@millrace/core';
import type OpenAI from 'openai';
import { isAddress } from '../../model-calls/address.ts';
import type { ModelCallContext } from '../../model-calls/model-call.ts';
import { callModel } from '../../model-calls/model-call.ts';
import { ModelError } from '../../model-calls/model-error.ts';
import type { PreparedRequest } from '../send-with-additions.ts';
import { sendWithAdditions } from '../send-with-additions.ts';
import type { CompletionReader } from './chat-completions.ts';
import { accumulateCompletion } from './chat-completions.ts';
import { parse, readEvents } from './event-stream.ts';
import { openaiParams } from './params.ts';
import { chatBody } from './request.ts';
import { readResponsesStream, responsesReply } from './responses-reply.ts';
import { responsesBody } from './responses-request.ts';

/** Provider of OpenAI's chat completions and responses, and of compatible servers (`base_url`). */
export const openai = defineProvider({
  type: 'openai',
  summary: 'OpenAI, or any server with the same API: chat completions, or responses with `protocol: responses`.',
  keyVariables: ['OPENAI_API_KEY'],
  addressVariable: 'OPENAI_BASE_URL',
  chat: (request, call) =>
    callModel(request, call, {
      keyVariable: 'OPENAI_API_KEY',
      api: 'OpenAI-compatible',
      ask: (own, context) => sendWithAdditions(own, { ...call, ...context }, (prepared) => ask(prepared, context)),
    }),
});

/** Number of servers that this process remembers. */
const mostRemembered = 1000;
/** Servers that have refused streaming. */
const withoutStreams = new Set<string | undefined>();

async function ask(prepared: PreparedRequest, context: ModelCallContext): Promise<ChatReply | undefined> {
  const { request } = prepared;
  const { emit } = context;
  if (emit === undefined || withoutStreams.has(request.baseUrl) || audioFormatOf(request) !== undefined)
    return send(prepared, { ...context, emit: undefined });
  try {
    return await send(prepared, context);
  } catch (error) {
    if (!refusesStream(error)) throw error;
    // The server refused before it did anything, so the request is sent again without streaming.
    if (withoutStreams.size >= mostRemembered) withoutStreams.clear();
    withoutStreams.add(request.baseUrl);
    return send(prepared, { ...context, emit: undefined });
  }
}

/** Returns the format of recordings if the model is asked for some; those are not streamed. */
function audioFormatOf({ params: { audio } }: ChatRequest): string | undefined {
  const format: unknown = typeof audio === 'object' && audio !== null ? Reflect.get(audio, 'format') : undefined;
  return typeof format === 'string' ? format : undefined;
}

const refusesStream = (error: unknown): boolean =>
  error instanceof Error &&
  [400, 422, 501].includes(Number(Reflect.get(error, 'status'))) &&
  // Proxies also speak of what is upstream of them.
  /\bstream/i.test(error.message);

async function send(prepared: PreparedRequest, context: ModelCallContext): Promise<ChatReply | undefined> {
  const { request, params, additions } = prepared;
  const { emit } = context;
  const client = await openClient(request, context);
  const { headers, query } = openaiParams(params);
  const options = { signal: context.signal, timeout: context.timeoutMs, headers, query };
  const isChat = additions.protocol === 'chat';
  const asked = isChat
    ? client.chat.completions.create({ ...chatBody(prepared), ...(emit && streamedUsage(request)) }, options)
    : client.responses.create({ ...responsesBody(prepared), ...(emit && { stream: true }) }, options);
  const response = await asked.asResponse();
  const reader = {
    model: request.model,
    emit: emit ?? (() => undefined),
    round: request.messages.filter(({ toolCalls = [] }) => toolCalls.length > 0).length,
    thinkTags: request.params['think_tags'] !== 'text' && !isVendor(request.baseUrl),
    audioFormat: audioFormatOf(request),
  };
  return isChat ? readCompletion(response, reader) : readResponse(response, reader);
}

/** Reads a chat completion. A server may answer without streaming although it was asked to stream, and the other way round. */
async function readCompletion(response: Response, reader: CompletionReader): Promise<ChatReply | undefined> {
  const completion = accumulateCompletion(reader);
  if (!isStream(response)) {
    completion.add(parse(await response.text()));
    return completion.reply(true);
  }
  let isDone = false;
  for await (const event of readEvents(response)) {
    if (event.type === 'data') completion.add(event.data);
    // Some servers leave the connection open after the end.
    else {
      isDone = true;
      break;
    }
  }
  return completion.reply(isDone);
}

async function readResponse(response: Response, reader: CompletionReader): Promise<ChatReply | undefined> {
  if (isStream(response)) return readResponsesStream(readEvents(response), reader);
  const reply = responsesReply(parse(await response.text()));
  if (reply !== undefined && reply.text !== '') reader.emit(reply.text);
  return reply;
}

const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.includes('text/event-stream') === true;

/** Returns whether an address is OpenAI's own, whose models leave no tags in their texts. */
const isVendor = (baseUrl: string | undefined): boolean =>
  baseUrl === undefined || (URL.canParse(baseUrl) && new URL(baseUrl).hostname.endsWith('.openai.com'));

/** Returns the option that requests usage, which streams contain only on request. */
const streamedUsage = ({ params }: ChatRequest) => ({
  stream: true as const,
  ...('stream_options' in params ? {} : { stream_options: { include_usage: true } }),
});

/** Returns the path and the query of an address apart, as the SDK adds the path of an operation to the first. */
function addressOf(baseUrl: string | undefined) {
  if (baseUrl === undefined) return {};
  if (!isAddress(baseUrl))
    throw new ModelError(
      'MODEL_BAD_REQUEST',
      `The \`base_url\` ${JSON.stringify(baseUrl)} is no address. Write one with its scheme, such as https://models.example/v1.`,
      { type: 'ValueError' },
    );
  const { origin, pathname, search, searchParams } = new URL(baseUrl);
  if (search === '') return { baseURL: baseUrl };
  return { baseURL: `${origin}${pathname}`, defaultQuery: Object.fromEntries(searchParams) };
}

async function openClient({ baseUrl }: ChatRequest, { apiKey, fetch }: ModelCallContext): Promise<OpenAI> {
  const { OpenAI } = await import('openai');
  return new OpenAI(
    omitUndefined({
      apiKey,
      ...addressOf(baseUrl),
      fetch,
      // The agent's own policy retries.
      maxRetries: 0,
      logLevel: 'off',
    }),
  );
}
