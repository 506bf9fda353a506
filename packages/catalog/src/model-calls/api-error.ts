import type { ChatRequest, ModelProfile } from '@millrace/core';
import { describeRetirement, NodeError, refusedParams, retirementOf } from '@millrace/core';
import { retirementDates } from '../models/model-knowledge.ts';
import type { BoundedFetch } from './bounded-fetch.ts';
import type { ModelErrorCode } from './model-error.ts';
import { ModelError, modelErrorCode } from './model-error.ts';

/** Properties of a failed call of a model. */
export interface FailedCall {
  readonly request: Pick<ChatRequest, 'model' | 'baseUrl' | 'apiKey'> & Partial<Pick<ChatRequest, 'params'>>;
  /** API that the server must have, as in "OpenAI-compatible". */
  readonly api: string;
  readonly seen: Pick<BoundedFetch, 'headers' | 'refused' | 'broken' | 'tooLarge'>;
  /** What is known of the model; it explains refusals. Absent: nothing. */
  readonly profile?: ModelProfile;
  /** Set if the call took longer than this. */
  readonly timeoutMs: number | undefined;
}

/**
 * Returns the error for an exception of a provider's SDK. SDKs are loaded lazily, so their classes are recognised by
 * their names and fields; those of OpenAI and Anthropic have the same names, Google's has only a status.
 */
export function apiError(error: unknown, facts: FailedCall): ModelError {
  if (facts.seen.tooLarge !== undefined) return facts.seen.tooLarge;
  const { broken } = facts.seen;
  // The address was refused before anything was sent; a retry cannot succeed.
  if (broken instanceof NodeError)
    return new ModelError('ADDRESS_REFUSED', broken.message, { type: 'ValueError', free: true });
  // A stream that the deadline aborted looks like one that was interrupted.
  if (error instanceof ModelError && facts.timeoutMs === undefined) return error;
  const status = statusOf(error);
  const type = typeOf(error, status, facts);
  const code = codeOf(error, type, status);
  const message = redacted(explain({ ...facts, code, status, error }), facts.request.apiKey);
  return new ModelError(code, message, {
    type,
    status,
    retryAfterSeconds: retryAfterSeconds(error, facts.seen.headers),
    free: facts.seen.refused || isUnsent(facts.seen.broken),
  });
}

/** Returns the message of the server, without the wrapping of an SDK. */
export function serverMessageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (!message.startsWith('{')) return message;
  try {
    // Google's SDK returns the body of the response unchanged.
    const body: unknown = JSON.parse(message);
    const inner: unknown = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
    if (typeof inner === 'object' && inner !== null && 'message' in inner) return String(inner.message);
  } catch {
    // The text only begins like JSON.
  }
  return message;
}

interface ErrorContext extends FailedCall {
  readonly code: ModelErrorCode;
  readonly status: number | undefined;
  readonly error: unknown;
}

/** Codes whose message is complete where the error is created. */
type SelfExplaining = 'MODEL_REPLY_TOO_LARGE' | 'ADDRESS_REFUSED';

const explanations: {
  readonly [Code in Exclude<ModelErrorCode, SelfExplaining>]: (facts: ErrorContext) => string;
} = {
  // The server's own message is left out: it may repeat parts of the key.
  MODEL_AUTH: ({ status, request }) =>
    `${modelName(request)} refused the API key (${status}). Check \`api_key\`, and that the key may use this model.`,
  MODEL_NOT_FOUND: (facts) =>
    `${modelName(facts.request)} was not found (${facts.status})${serverText(facts)}${retirementHint(facts)} Check \`name\` and \`base_url\`.`,
  MODEL_BAD_REQUEST: (facts) =>
    `${modelName(facts.request)} refused the request (${facts.status})${serverText(facts)}${refusalHint(facts)} Check \`params\`.`,
  MODEL_RATE_LIMITED: (facts) =>
    `${modelName(facts.request)} received too many requests (${facts.status})${serverText(facts)} Wait, lower max_parallel, or check the quota.`,
  MODEL_UNREACHABLE: (facts) =>
    `${modelName(facts.request)} cannot be reached (${causeOf(facts.seen.broken ?? facts.error)}). Check \`base_url\` and the network.`,
  MODEL_TIMEOUT: ({ request, timeoutMs }) =>
    `${modelName(request)} did not answer in time${timeoutMs === undefined ? '' : ` (timeout of ${timeoutMs / 1000} s)`}. Raise \`timeout\` in \`params\` if the model is slow.`,
  MODEL_SERVER_ERROR: (facts) =>
    `${modelName(facts.request)} failed (${facts.status ?? 'in the middle of its reply'})${serverText(facts)}`,
  MODEL_BAD_REPLY: ({ request, error, api }) =>
    `${modelName(request)} sent a response that cannot be read (${serverMessageOf(error)}). Check that \`base_url\` names an ${api} API.`,
};

const explain = (facts: ErrorContext): string =>
  facts.code === 'MODEL_REPLY_TOO_LARGE' || facts.code === 'ADDRESS_REFUSED'
    ? serverMessageOf(facts.error)
    : explanations[facts.code](facts);

function retirementHint({ profile, request }: ErrorContext): string {
  const retirement = profile && retirementOf(profile, retirementDates());
  return retirement === undefined ? '' : ` As far as is known, "${request.model}" ${describeRetirement(retirement)}.`;
}

function refusalHint({ profile, request }: ErrorContext): string {
  const reasons = (profile ? refusedParams(profile, request.params ?? {}) : []).map(({ reason }) => reason);
  return reasons.length === 0 ? '' : ` As far as is known, "${request.model}" ${reasons.join(', and ')}.`;
}

const modelName = ({ model, baseUrl }: FailedCall['request']): string =>
  baseUrl === undefined ? `The model "${model}"` : `The model "${model}" at ${withoutSecrets(baseUrl)}`;

// A URL may contain a password, or a key in its query.
function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function serverText({ error, status, request }: ErrorContext): string {
  // Redacted before it is shortened: a part of a key must not remain.
  const words = redacted(serverMessageOf(error), request.apiKey)
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
  // Google reports a wrong key as a bad request.
  if (status === 400 && error instanceof Error && error.message.includes('API_KEY_INVALID')) return 'MODEL_AUTH';
  return modelErrorCode(type, status);
}

const typesByStatus: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  409: 'ConflictError',
  422: 'UnprocessableEntityError',
  429: 'RateLimitError',
};

function typeOf(error: unknown, status: number | undefined, { seen, timeoutMs }: FailedCall): string {
  if (timeoutMs !== undefined) return 'APITimeoutError';
  const name = error instanceof Error ? error.constructor.name : 'Error';
  if (name === 'APIConnectionTimeoutError') return 'APITimeoutError';
  if (status !== undefined) return typesByStatus[status] ?? (status >= 500 ? 'InternalServerError' : 'APIStatusError');
  // A server that fails in the middle of a stream reports the error in the stream.
  if (name === 'APIError') return 'InternalServerError';
  // The connection failed, whatever error the SDK makes of it.
  if (seen.broken !== undefined) return 'APIConnectionError';
  return name === 'SyntaxError' || name === 'TypeError' ? 'APIResponseValidationError' : name;
}

function causeOf(error: unknown): string {
  const cause = deepest(error);
  return cause instanceof Error ? cause.message : String(cause);
}

function deepest(error: unknown): unknown {
  let cause = error;
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause;
  return cause instanceof AggregateError && cause.errors.length > 0 ? cause.errors[0] : cause;
}

/** Returns whether there was no connection over which the request could have been sent. */
function isUnsent(broken: unknown): boolean {
  const cause = deepest(broken);
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' && unsentCodes.has(code);
}

const unsentCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * Returns the time after which the server accepts a retry, in seconds; dates are compared with the server's own clock.
 */
function retryAfterSeconds(error: unknown, headers: Headers | undefined): number | undefined {
  const milliseconds = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  if (milliseconds >= 0) return milliseconds / 1000;
  const after = headers?.get('retry-after') ?? '';
  if (/^\d+(\.\d+)?$/.test(after)) return Number(after);
  const seconds = (Date.parse(after) - Date.parse(headers?.get('date') ?? '')) / 1000;
  if (seconds >= 0) return seconds;
  // Google sends it in the body: {"retryDelay": "7s"}.
  const [, delay] = /"retryDelay":\s*"(\d+(?:\.\d+)?)s"/.exec(error instanceof Error ? error.message : '') ?? [];
  return delay === undefined ? undefined : Number(delay);
}

/** Returns the HTTP status; an error in the middle of a stream may have one as its code, or a word that means one. */
function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const stated: unknown[] = [Reflect.get(error, 'status'), Reflect.get(error, 'code')];
  const status = stated.map(Number).find((each) => Number.isInteger(each) && each >= 400 && each < 600);
  return (
    status ??
    wordsWithin(error)
      .map((word) => statusesByWord.get(word))
      .find((each) => each !== undefined)
  );
}

/** Statuses of the words by which OpenAI, Anthropic and compatible servers name errors in the middle of a stream. */
const statusesByWord: ReadonlyMap<unknown, number> = new Map<unknown, number>(
  Object.entries({
    invalid_api_key: 401,
    authentication_error: 401,
    permission_error: 403,
    model_not_found: 404,
    not_found_error: 404,
    invalid_request_error: 400,
    request_too_large: 413,
    rate_limit_error: 429,
    rate_limit_exceeded: 429,
    insufficient_quota: 429,
  }),
);

/** Returns the codes and types of an error and of the bodies that SDKs keep in it, the most specific ones first. */
function wordsWithin(error: object): readonly unknown[] {
  const bodies: object[] = [error];
  for (let body: unknown = Reflect.get(error, 'error'); typeof body === 'object' && body !== null; ) {
    bodies.push(body);
    body = Reflect.get(body, 'error');
  }
  return ['code', 'type'].flatMap((key) => bodies.map((body): unknown => Reflect.get(body, key)));
}
