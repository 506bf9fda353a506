import type { ChatReply, ChatRequest, EmitChunk, ProviderCall } from '@millrace/core';
import { startDeadline } from '../deadlines/deadline.ts';
import { apiError } from './api-error.ts';
import type { BoundedFetch } from './bounded-fetch.ts';
import { boundedFetch, longestText, replyTooLarge } from './bounded-fetch.ts';
import { ModelError } from './model-error.ts';

/** What a provider makes one request with. */
export interface ModelCallContext {
  readonly apiKey: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly fetch: BoundedFetch['fetch'];
  /** Takes the reply's text piece by piece. Absent: the reply is to come in one piece. */
  readonly tell: EmitChunk | undefined;
}

/** What is particular to a provider about its calls. */
export interface ModelApi {
  /** The variable of the worker that holds the key when the author names none; for people to read. */
  readonly keyVariable: string;
  /** What the address has to speak, as in "OpenAI-compatible"; for people to read. */
  readonly api: string;
  /** One request; undefined when the answer is not what the API answers with. */
  ask(context: ModelCallContext): Promise<ChatReply | undefined>;
}

const defaultTimeoutSeconds = 300;
/** What servers of one's own are told that want no key: SDKs insist on one. */
const noKey = 'none';

/** One call of a model over its SDK: with a deadline, with a bound on the reply, and with one set of failures. */
export async function callModel(
  request: ChatRequest,
  { signal, fetch, tell, onHeaders }: ProviderCall,
  { keyVariable, api, ask }: ModelApi,
): Promise<ChatReply> {
  signal.throwIfAborted();
  const apiKey = request.apiKey ?? (request.baseUrl === undefined ? undefined : noKey);
  if (apiKey === undefined) throw keyMissing(keyVariable);
  const timeoutMs = timeoutOf(request.params['timeout']);
  // An SDK's own timeout ends when the headers are there; this one covers the body too.
  const deadline = startDeadline(timeoutMs, signal);
  const seen = boundedFetch(request.model, fetch);
  try {
    const reply = await ask({
      apiKey,
      signal: deadline.signal,
      timeoutMs,
      fetch: seen.fetch,
      tell: request.params['stream'] === false ? undefined : tell && counted(tell, request.model),
    });
    if (reply !== undefined) return reply;
  } catch (error) {
    signal.throwIfAborted();
    throw apiError(error, { request, api, seen, timeoutMs: deadline.expired ? timeoutMs : undefined });
  } finally {
    deadline.clear();
    if (seen.headers !== undefined) onHeaders?.(seen.headers);
  }
  throw new ModelError(
    'MODEL_BAD_REPLY',
    `The model "${request.model}" answered with something that is no reply. Check that \`base_url\` names an ${api} API.`,
    { type: 'APIResponseValidationError' },
  );
}

/** The connection ended in the middle of a reply, without an error. */
export const connectionLost = (model: string): ModelError =>
  new ModelError('MODEL_UNREACHABLE', `The model "${model}" broke off in the middle of its reply.`, {
    type: 'APIConnectionError',
  });

const keyMissing = (keyVariable: string): ModelError =>
  new ModelError(
    'MODEL_AUTH',
    `There is no API key. Write \`api_key: \${API_KEY}\` and set API_KEY, or set ${keyVariable} where the worker runs.`,
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

function counted(tell: EmitChunk, model: string): EmitChunk {
  let length = 0;
  return (piece) => {
    length += piece.length;
    if (length > longestText) throw replyTooLarge(model);
    tell(piece);
  };
}
