import type { ChatReply, ChatRequest, EmitChunk, ProviderCall } from '@millrace/core';
import { startDeadline } from '../deadlines/deadline.ts';
import { apiError } from './api-error.ts';
import { problemOfKey } from './api-key.ts';
import type { BoundedFetch } from './bounded-fetch.ts';
import { boundedFetch, longestText, replyTooLarge } from './bounded-fetch.ts';
import { ModelError } from './model-error.ts';
import { withProviderData } from './provider-data.ts';
import type { ReportedError } from './reported-error.ts';

/** Context of one request to a provider. */
export interface ModelCallContext {
  readonly apiKey: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly fetch: BoundedFetch['fetch'];
  /** Returns what the server says about the error of its last response, which SDKs do not always pass on. */
  reported(): ReportedError | undefined;
  /** Called with each part of the reply's text. Absent: the reply is not streamed. */
  readonly emit: EmitChunk | undefined;
}

/** Properties of the API of a provider. */
export interface ModelApi {
  /** Variable of the worker with the key if the author names none; for people to read. */
  readonly keyVariable: string;
  /** API that the server must have, as in "OpenAI-compatible"; for people to read. */
  readonly api: string;
  /** Sends one request; undefined if the response does not have the form of the API. */
  ask(request: ChatRequest, context: ModelCallContext): Promise<ChatReply | undefined>;
}

const defaultTimeoutSeconds = 300;
/** Key for servers that need none: SDKs insist on one. */
const noKey = 'none';

/** Calls a model over its SDK, with a deadline, a limit of the reply's size, and common errors. */
export const callModel = (request: ChatRequest, call: ProviderCall, api: ModelApi): Promise<ChatReply> =>
  withProviderData(request, (own) => callOnce(own, call, api));

async function callOnce(
  request: ChatRequest,
  { signal, fetch, emit, onHeaders, profile }: ProviderCall,
  { keyVariable, api, ask }: ModelApi,
): Promise<ChatReply> {
  signal.throwIfAborted();
  const apiKey = request.apiKey ?? (request.baseUrl === undefined ? undefined : noKey);
  if (apiKey === undefined) throw keyMissing(keyVariable);
  const problem = problemOfKey(apiKey);
  if (problem !== undefined) throw new ModelError('MODEL_AUTH', problem, { type: 'AuthenticationError' });
  const timeoutMs = timeoutOf(request.params['timeout']);
  // An SDK's own timeout ends with the headers; this one includes the body.
  const deadline = startDeadline(timeoutMs, signal);
  const seen = boundedFetch(request.model, fetch);
  try {
    const reply = await ask(request, {
      apiKey,
      signal: deadline.signal,
      timeoutMs,
      fetch: seen.fetch,
      reported: () => seen.report,
      emit: request.params['stream'] === false ? undefined : emit && limited(emit, request.model),
    });
    if (reply !== undefined) return reply;
  } catch (error) {
    signal.throwIfAborted();
    throw apiError(error, { request, profile, api, seen, timeoutMs: deadline.expired ? timeoutMs : undefined });
  } finally {
    deadline.clear();
    if (seen.headers !== undefined) onHeaders?.(seen.headers);
  }
  throw new ModelError(
    'MODEL_BAD_REPLY',
    `The response of the model "${request.model}" is not a reply. Check that \`base_url\` names an ${api} API.`,
    { type: 'APIResponseValidationError' },
  );
}

/** Returns the error of a connection that ended in the middle of a reply without an error. */
export const connectionLost = (model: string): ModelError =>
  new ModelError('MODEL_UNREACHABLE', `The model "${model}" closed the connection in the middle of its reply.`, {
    type: 'APIConnectionError',
  });

const keyMissing = (keyVariable: string): ModelError =>
  new ModelError(
    'MODEL_AUTH',
    `There is no API key. Write \`api_key: \${API_KEY}\` and set API_KEY, or set ${keyVariable} in the environment of the worker.`,
    { type: 'AuthenticationError' },
  );

function timeoutOf(timeout: unknown): number {
  const seconds = timeout == null ? defaultTimeoutSeconds : Number(timeout);
  if (seconds > 0 && Number.isFinite(seconds)) return Math.ceil(seconds * 1000);
  throw new ModelError(
    'MODEL_BAD_REQUEST',
    `The param \`timeout\` is ${JSON.stringify(timeout)}. Write a number of seconds above 0.`,
    { type: 'ValueError' },
  );
}

function limited(emit: EmitChunk, model: string): EmitChunk {
  let length = 0;
  return (piece) => {
    length += piece.length;
    if (length > longestText) throw replyTooLarge(model);
    emit(piece);
  };
}
