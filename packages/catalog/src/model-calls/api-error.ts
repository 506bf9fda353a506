import type { ChatRequest, ModelProfile } from '@millrace/core';
import { describeRetirement, NodeError, refusedParams, retirementOf } from '@millrace/core';
import { retirementDates } from '../models/model-knowledge.ts';
import type { BoundedFetch } from './bounded-fetch.ts';
import type { ModelErrorCode } from './model-error.ts';
import { ModelError, modelErrorCode } from './model-error.ts';
import type { ReportedError } from './reported-error.ts';
import { ReportedFailure, readReport } from './reported-error.ts';

/** Properties of a failed call of a model. */
export interface FailedCall {
  readonly request: Pick<ChatRequest, 'model' | 'baseUrl' | 'apiKey'> & Partial<Pick<ChatRequest, 'params'>>;
  /** API that the server must have, as in "OpenAI-compatible". */
  readonly api: string;
  readonly seen: Pick<BoundedFetch, 'headers' | 'refused' | 'report' | 'broken' | 'tooLarge'>;
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
  const report = reportOf(error, facts.seen);
  const status = statusOf(error, report);
  const type = typeOf(error, status, facts);
  const code = codeOf(type, status, report);
  const message = redacted(explain({ ...facts, code, status, error, report }), facts.request.apiKey);
  return new ModelError(code, message, {
    type,
    status,
    retryAfterSeconds: retryAfterSeconds(facts.seen.headers) ?? report?.retryAfterSeconds,
    free: facts.seen.refused || isUnsent(facts.seen.broken),
  });
}

/** Returns what the server says about an error, however the SDK passes it on; undefined if it says nothing. */
function reportOf(error: unknown, { report }: FailedCall['seen']): ReportedError | undefined {
  if (error instanceof ReportedFailure) return error.report;
  if (report !== undefined || !(error instanceof Error)) return report;
  // An error in the middle of a stream: Anthropic's SDK keeps its body, Google's makes it the message.
  const body: unknown = Reflect.get(error, 'error');
  if (typeof body === 'object' && body !== null) return readReport(JSON.stringify({ error: body }));
  return error.message.startsWith('{') ? readReport(error.message) : undefined;
}

interface ErrorContext extends FailedCall {
  readonly code: ModelErrorCode;
  readonly status: number | undefined;
  readonly error: unknown;
  readonly report: ReportedError | undefined;
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
  MODEL_QUOTA: (facts) =>
    `${modelName(facts.request)} is not paid for any more${serverText(facts)} Add credit, raise the limit of the account, or use another key.`,
  MODEL_CONTEXT_FULL: (facts) =>
    `The conversation is longer than the context of ${lowerFirst(modelName(facts.request))}${serverText(facts)} Shorten it with \`context_window\` or \`context\`, or use a model with a longer context.`,
  MODEL_UNREACHABLE: (facts) =>
    `${modelName(facts.request)} cannot be reached (${causeOf(facts.seen.broken ?? facts.error)}). Check \`base_url\` and the network.`,
  MODEL_TIMEOUT: ({ request, timeoutMs }) =>
    `${modelName(request)} did not answer in time${timeoutMs === undefined ? '' : ` (timeout of ${timeoutMs / 1000} s)`}. Raise \`timeout\` in \`params\` if the model is slow.`,
  MODEL_SERVER_ERROR: (facts) =>
    `${modelName(facts.request)} failed (${facts.status ?? 'in the middle of its reply'})${serverText(facts)}`,
  MODEL_BAD_REPLY: ({ request, error, api, report }) =>
    `${modelName(request)} sent a response that cannot be read (${report?.message ?? messageOf(error)}). Check that \`base_url\` names an ${api} API.`,
};

const explain = (facts: ErrorContext): string =>
  facts.code === 'MODEL_REPLY_TOO_LARGE' || facts.code === 'ADDRESS_REFUSED'
    ? messageOf(facts.error)
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

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function serverText({ error, report, status, request }: ErrorContext): string {
  // Redacted before it is shortened: a part of a key must not remain.
  const words = redacted(report?.message || messageOf(error), request.apiKey)
    .replace(new RegExp(`^${status} `), '')
    .trim();
  if (words === '' || words.endsWith('status code (no body)')) return '.';
  const short = words.length > 500 ? `${words.slice(0, 500)}…` : words;
  return /[.!?…]$/.test(short) ? `: ${short}` : `: ${short}.`;
}

/** Keys that are shorter than this are words, such as `none` or `ollama`. */
const shortestKey = 8;

const redacted = (message: string, apiKey = ''): string =>
  apiKey.length < shortestKey ? message : message.replaceAll(apiKey, '[api key]');

/** Sentences and words of servers that mean an account without credit, which no wait and no retry changes. */
const quotaWords = /insufficient_quota|billing|credit_balance|payment_required/i;
const quotaSentence =
  /credit balance|insufficient (balance|quota|credit)|exceeded your current quota, please check your plan/i;
const contextWords = /context_length_exceeded|string_above_max_length|exceed_context_size_error/;
const contextSentence =
  /maximum context length|context window|exceed context limit|available context size|context size has been exceeded|prompt is too long|input token count .* exceeds/i;
/** Statuses of these refusals; llama.cpp gives 500. */
const contextStatuses: ReadonlySet<number | undefined> = new Set([400, 413, 500]);

function codeOf(type: string, status: number | undefined, report: ReportedError | undefined): ModelErrorCode {
  const { words = [], message = '' } = report ?? {};
  const says = (known: RegExp, sentence: RegExp): boolean =>
    words.some((word) => known.test(word)) || sentence.test(message);
  if (status === 402 || (status !== undefined && says(quotaWords, quotaSentence))) return 'MODEL_QUOTA';
  if (contextStatuses.has(status) && says(contextWords, contextSentence)) return 'MODEL_CONTEXT_FULL';
  // Google reports a wrong key as a bad request.
  if (status === 400 && (words.includes('API_KEY_INVALID') || /API key not valid|API_KEY_INVALID/.test(message)))
    return 'MODEL_AUTH';
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
  if (name === 'APIError' || name === 'ReportedFailure') return 'InternalServerError';
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
function retryAfterSeconds(headers: Headers | undefined): number | undefined {
  const milliseconds = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  if (milliseconds >= 0) return milliseconds / 1000;
  const after = headers?.get('retry-after') ?? '';
  if (/^\d+(\.\d+)?$/.test(after)) return Number(after);
  const seconds = (Date.parse(after) - Date.parse(headers?.get('date') ?? '')) / 1000;
  return seconds >= 0 ? seconds : undefined;
}

/** Returns the HTTP status; an error in the middle of a stream may name one, or a word that means one. */
function statusOf(error: unknown, report: ReportedError | undefined): number | undefined {
  const status = error instanceof Error ? Number(Reflect.get(error, 'status')) : Number.NaN;
  if (Number.isInteger(status) && status >= 400 && status < 600) return status;
  return report?.status ?? report?.words.map((word) => statusesByWord.get(word)).find((each) => each !== undefined);
}

/** Statuses of the words by which OpenAI, Anthropic and compatible servers name errors in the middle of a stream. */
const statusesByWord: ReadonlyMap<string, number> = new Map<string, number>(
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
    overloaded_error: 529,
    UNAVAILABLE: 503,
    RESOURCE_EXHAUSTED: 429,
    UNAUTHENTICATED: 401,
    PERMISSION_DENIED: 403,
    NOT_FOUND: 404,
    INVALID_ARGUMENT: 400,
    DEADLINE_EXCEEDED: 504,
    INTERNAL: 500,
  }),
);
