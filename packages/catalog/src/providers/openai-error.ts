import type { ChatRequest } from '@millrace/core';
import type { ModelErrorCode } from './model-error.ts';
import { ModelError, modelErrorCode } from './model-error.ts';

/**
 * The failure that an exception of the SDK stands for. The SDK is loaded lazily, so its classes are told apart by their
 * names and fields. `timeoutMs` is set when the call took longer than that.
 */
export function openaiError(error: unknown, request: ChatRequest, timeoutMs: number | undefined): ModelError {
  if (error instanceof ModelError) return error;
  const status = numberOf(error, 'status');
  const type = timeoutMs === undefined ? typeOf(error, status) : 'APITimeoutError';
  const code = codeOf(error, type, status);
  const message = redacted(explain({ code, status, error, request, timeoutMs }), request.apiKey);
  return new ModelError(code, message, { type, status, retryAfterSeconds: retryAfterSeconds(error) });
}

interface Explained {
  readonly code: ModelErrorCode;
  readonly status: number | undefined;
  readonly error: unknown;
  readonly request: ChatRequest;
  readonly timeoutMs: number | undefined;
}

const explanations: { readonly [Code in ModelErrorCode]: (facts: Explained) => string } = {
  // The server's own words are left out: they may repeat parts of the key.
  MODEL_AUTH: ({ status, request }) =>
    status === undefined
      ? 'There is no API key. Write `api_key: ${API_KEY}` and set API_KEY, or set OPENAI_API_KEY where the worker runs.'
      : `${who(request)} refused the API key (${status}). Check \`api_key\`, and that the key may use this model.`,
  MODEL_NOT_FOUND: (facts) =>
    `${who(facts.request)} was not found (${facts.status})${said(facts)} Check \`name\` and \`base_url\`.`,
  MODEL_BAD_REQUEST: (facts) =>
    `${who(facts.request)} refused the request (${facts.status})${said(facts)} Check \`params\`.`,
  MODEL_RATE_LIMITED: (facts) =>
    `${who(facts.request)} has had too many requests (${facts.status})${said(facts)} Wait, lower max_parallel, or check the quota.`,
  MODEL_UNREACHABLE: (facts) =>
    `${who(facts.request)} cannot be reached (${causeOf(facts.error)}). Check \`base_url\` and the network.`,
  MODEL_TIMEOUT: ({ request, timeoutMs }) =>
    `${who(request)} did not answer in time${timeoutMs === undefined ? '' : ` (timeout of ${timeoutMs / 1000} s)`}. Raise \`timeout\` in \`params\` if the model is slow.`,
  MODEL_SERVER_ERROR: (facts) => `${who(facts.request)} failed (${facts.status})${said(facts)}`,
  MODEL_BAD_REPLY: ({ request, error }) =>
    `${who(request)} gave an answer that cannot be read (${messageOf(error)}). Check that \`base_url\` names an OpenAI-compatible API.`,
};

const explain = (facts: Explained): string => explanations[facts.code](facts);

const who = ({ model, baseUrl }: ChatRequest): string =>
  baseUrl === undefined ? `The model "${model}"` : `The model "${model}" at ${withoutSecrets(baseUrl)}`;

// A URL may carry a password or a key in its query.
function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function said({ error, status }: Explained): string {
  const words = messageOf(error)
    .replace(new RegExp(`^${status} `), '')
    .trim();
  if (words === '' || words.endsWith('status code (no body)')) return '.';
  const short = words.length > 500 ? `${words.slice(0, 500)}…` : words;
  return /[.!?…]$/.test(short) ? `: ${short}` : `: ${short}.`;
}

function redacted(message: string, apiKey: string | undefined): string {
  return apiKey === undefined || apiKey === '' ? message : message.replaceAll(apiKey, '[api key]');
}

function codeOf(error: unknown, type: string, status: number | undefined): ModelErrorCode {
  // The SDK throws its base class before any request when it has no key.
  if (status === undefined && type === 'OpenAIError' && messageOf(error).includes('credentials')) return 'MODEL_AUTH';
  return modelErrorCode(type, status);
}

function typeOf(error: unknown, status: number | undefined): string {
  const name = error instanceof Error ? error.constructor.name : 'Error';
  if (name === 'APIConnectionTimeoutError') return 'APITimeoutError';
  if (name === 'SyntaxError') return 'APIResponseValidationError';
  if (name === 'APIError' && status !== undefined) return 'APIStatusError';
  // The connection broke while the body was read: fetch reports that as a TypeError.
  return name === 'TypeError' ? 'APIConnectionError' : name;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function causeOf(error: unknown): string {
  let deepest = error;
  while (deepest instanceof Error && deepest.cause !== undefined) deepest = deepest.cause;
  if (deepest instanceof AggregateError && deepest.errors.length > 0) deepest = deepest.errors[0];
  return messageOf(deepest);
}

/** Seconds until the server wants to be asked again; dates are read against the server's own clock. */
function retryAfterSeconds(error: unknown): number | undefined {
  const headers: unknown = error instanceof Error && 'headers' in error ? error.headers : undefined;
  if (!(headers instanceof Headers)) return undefined;
  const milliseconds = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (milliseconds >= 0) return milliseconds / 1000;
  const after = headers.get('retry-after') ?? '';
  if (/^\d+(\.\d+)?$/.test(after)) return Number(after);
  const seconds = (Date.parse(after) - Date.parse(headers.get('date') ?? '')) / 1000;
  return seconds >= 0 ? seconds : undefined;
}

function numberOf(error: unknown, key: 'status'): number | undefined {
  const value: unknown = error instanceof Error ? Reflect.get(error, key) : undefined;
  return typeof value === 'number' ? value : undefined;
}
