import { NodeError } from '@millrace/core';

/** Kinds of failures of a model call, by who can correct them. */
export type ModelErrorCode =
  | 'MODEL_AUTH'
  | 'MODEL_NOT_FOUND'
  | 'MODEL_BAD_REQUEST'
  | 'MODEL_RATE_LIMITED'
  | 'MODEL_QUOTA'
  | 'MODEL_CONTEXT_FULL'
  | 'MODEL_UNREACHABLE'
  | 'MODEL_TIMEOUT'
  | 'MODEL_SERVER_ERROR'
  | 'MODEL_BAD_REPLY'
  | 'MODEL_REPLY_TOO_LARGE'
  | 'ADDRESS_REFUSED';

/** Properties of a failed model call that a retry policy uses. */
export interface ModelErrorDetails {
  /** Name of the error's class in OpenAI's Python SDK; retry lists use these names. */
  readonly type: string;
  /** The HTTP status; absent if there was no response. */
  readonly status?: number | undefined;
  /** Time that the server asks the caller to wait. */
  readonly retryAfterSeconds?: number | undefined;
  /** The call cost nothing: it was refused, or never sent. */
  readonly free?: boolean | undefined;
}

/** A failed model call. */
export class ModelError extends NodeError {
  readonly status: number | undefined;
  /** Names of the error's class and of its parent classes. */
  readonly types: readonly string[];
  readonly retryAfterSeconds: number | undefined;
  readonly free: true | undefined;
  constructor(code: ModelErrorCode, message: string, facts: ModelErrorDetails) {
    super(code, message, { transient: isTransient(code, facts.status) });
    this.status = facts.status;
    this.types = [facts.type, ...(ancestors.get(facts.type) ?? ['Exception'])];
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.free = facts.free === true || isUnsent(code, facts.status) ? true : undefined;
  }
}

/** Returns the code for a call that failed with this error class and HTTP status. */
export function modelErrorCode(type: string, status: number | undefined): ModelErrorCode {
  if (status === undefined) return codesByType.get(type) ?? 'MODEL_BAD_REPLY';
  if (status >= 500) return 'MODEL_SERVER_ERROR';
  return codesByStatus[status] ?? 'MODEL_BAD_REQUEST';
}

const codesByStatus: Readonly<Record<number, ModelErrorCode>> = {
  401: 'MODEL_AUTH',
  403: 'MODEL_AUTH',
  404: 'MODEL_NOT_FOUND',
  408: 'MODEL_TIMEOUT',
  429: 'MODEL_RATE_LIMITED',
};

const codesByType: ReadonlyMap<string, ModelErrorCode> = new Map<string, ModelErrorCode>(
  Object.entries({
    AuthenticationError: 'MODEL_AUTH',
    PermissionDeniedError: 'MODEL_AUTH',
    NotFoundError: 'MODEL_NOT_FOUND',
    BadRequestError: 'MODEL_BAD_REQUEST',
    UnprocessableEntityError: 'MODEL_BAD_REQUEST',
    RateLimitError: 'MODEL_RATE_LIMITED',
    InternalServerError: 'MODEL_SERVER_ERROR',
    APIConnectionError: 'MODEL_UNREACHABLE',
    APITimeoutError: 'MODEL_TIMEOUT',
    TimeoutError: 'MODEL_TIMEOUT',
  }),
);

const apiError = ['APIError', 'OpenAIError', 'Exception'];
const statusError = ['APIStatusError', ...apiError];

const ancestors: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>(
  Object.entries({
    APIError: ['OpenAIError', 'Exception'],
    APIStatusError: apiError,
    APIConnectionError: apiError,
    APIResponseValidationError: apiError,
    APITimeoutError: ['APIConnectionError', ...apiError],
    BadRequestError: statusError,
    AuthenticationError: statusError,
    PermissionDeniedError: statusError,
    NotFoundError: statusError,
    ConflictError: statusError,
    UnprocessableEntityError: statusError,
    RateLimitError: statusError,
    InternalServerError: statusError,
  }),
);

const transientCodes: ReadonlySet<ModelErrorCode> = new Set([
  'MODEL_RATE_LIMITED',
  'MODEL_UNREACHABLE',
  'MODEL_TIMEOUT',
  'MODEL_SERVER_ERROR',
]);

// Without a status, these are detected before anything is sent.
const isUnsent = (code: ModelErrorCode, status: number | undefined): boolean =>
  status === undefined && (code === 'MODEL_AUTH' || code === 'MODEL_BAD_REQUEST');

// 409 and 425 are temporary: they do not mean that the request is wrong.
const isTransient = (code: ModelErrorCode, status: number | undefined): boolean =>
  transientCodes.has(code) || status === 409 || status === 425;
