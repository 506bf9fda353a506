/*
 * Codes of refused requests, defined once for HTTP and for the command line. This file imports nothing: commands over HTTP
 * load it alone, as `@millrace/api/codes`.
 */

/** Reasons why a command ends early, by the names of its exit codes. */
export type CommandEnd = 'invalid' | 'notFound' | 'notAllowed' | 'unreachable' | 'bug';

interface Code {
  /** Status of the response; default: 409, a conflict with the present state. */
  readonly status?: number;
  /** Exit of a command; default: the one of the status. */
  readonly exit?: CommandEnd;
}

const codes: Readonly<Record<string, Code>> = {
  ACTIVATION_UNKNOWN: { status: 404 },
  ADDRESS_REFUSED: { status: 422 },
  ADDRESS_UNUSABLE: { exit: 'invalid' },
  ANSWER_EMPTY: { exit: 'invalid' },
  ANSWER_INVALID: { status: 422 },
  APPROVAL_EXPIRED: {},
  APPROVAL_MISMATCH: {},
  ARCHIVE_UNREADABLE: { exit: 'invalid' },
  ARTIFACT_UNKNOWN: { status: 404 },
  ATTACHMENT_TOO_LARGE: { status: 413 },
  BATCH_CANCELLING: {},
  BATCH_INVALID: { status: 422 },
  BATCH_UNKNOWN: { status: 404 },
  BLOB_MISSING: { status: 503 },
  BODY_TOO_LARGE: { status: 413 },
  BULK_UNKNOWN: { status: 404 },
  COMMIT_FAILED: { status: 500 },
  COMMIT_TOO_LARGE: { status: 413 },
  CRON_INVALID: { status: 422 },
  CSRF_REFUSED: { status: 403 },
  DELIVERY_UNKNOWN: { status: 404 },
  FILE_EXISTS: { exit: 'invalid' },
  FILE_INVALID: { exit: 'invalid' },
  FILE_MISSING: { status: 400 },
  FILE_IN_USE: { status: 409 },
  FILE_UNKNOWN: { status: 404 },
  FORK_INPUT_FIXED: {},
  FORK_NODE_ASKS_NO_MODEL: { status: 422 },
  FORK_PLAN_DIFFERS: { status: 422 },
  FORK_TEXT_MISSING: { status: 422 },
  FORMAT_NEWER: { status: 503, exit: 'notAllowed' },
  FORMAT_OLDER: {},
  HOST_NOT_LOOPBACK: { status: 403 },
  IDEMPOTENCY_KEY_INVALID: { status: 400 },
  IDEMPOTENCY_MISMATCH: { status: 422 },
  IDEMPOTENCY_UNSUPPORTED: { status: 400 },
  INBOX_TOO_LARGE: { status: 413 },
  INPUT_EMPTY: { status: 422 },
  INTAKE_UNKNOWN: { status: 404 },
  INTERNAL: { status: 500 },
  KEY_INVALID: { status: 401 },
  KEY_MISSING: { status: 401 },
  KEY_UNKNOWN: { status: 404 },
  MEDIA_TYPE_UNKNOWN: { status: 415 },
  MESSAGE_TOO_LARGE: { status: 413 },
  MESSAGE_UNKNOWN: { status: 404 },
  MODEL_LIST_DROPS: {},
  MODEL_LIST_INVALID: { exit: 'invalid' },
  NOT_READY: { status: 503 },
  ORIGIN_REFUSED: { status: 403 },
  OUTBOUND_INVALID: { exit: 'invalid' },
  PACKAGE_MISSING: { status: 501, exit: 'invalid' },
  PATH_UNWRITABLE: { status: 503, exit: 'invalid' },
  PORT_TAKEN: { exit: 'invalid' },
  QUEUE_UNKNOWN: { status: 404 },
  RANGE_INVALID: { status: 416 },
  RATE_LIMITED: { status: 429 },
  REDIS_AUTH: { status: 503 },
  REDIS_BUSY: { status: 503 },
  REDIS_CLUSTER_DOWN: { status: 503 },
  REDIS_DISK: { status: 503 },
  REDIS_EVICTION: { status: 503 },
  REDIS_FULL: { status: 503 },
  REDIS_KEYS_MISSING: { status: 503 },
  REDIS_LOADING: { status: 503 },
  REDIS_MOVED: { status: 503 },
  REDIS_NO_REPLICAS: { status: 503 },
  REDIS_PERMISSION: { status: 503 },
  REDIS_READONLY: { status: 503 },
  REDIS_SLOT_MOVING: { status: 503 },
  REDIS_TLS: { status: 503 },
  REDIS_UNREACHABLE: { status: 503 },
  REDIS_URL: { exit: 'invalid' },
  RECORD_WORKFLOW_DIFFERS: { exit: 'invalid' },
  REQUEST_INVALID: { status: 400 },
  RESUME_INPUT_REQUIRED: { status: 422 },
  RESUME_TARGET_REQUIRED: { status: 422 },
  RESUME_TARGET_UNKNOWN: { status: 422 },
  ROUTE_UNKNOWN: { status: 404 },
  ROW_UNKNOWN: { status: 404 },
  RUN_AMBIGUOUS: { exit: 'invalid' },
  RUN_LOST: { status: 503 },
  RUN_UNKNOWN: { status: 404 },
  S3_ACCESS_DENIED: { status: 503 },
  S3_BUCKET_MISSING: { status: 503 },
  S3_CHECKSUM: { status: 503 },
  S3_CREDENTIALS: { status: 503 },
  S3_FAILED: { status: 503 },
  S3_REGION: { status: 503 },
  S3_SLOW: { status: 503 },
  S3_SPOOL: { status: 503 },
  S3_TLS: { status: 503 },
  S3_UNREACHABLE: { status: 503 },
  SCHEDULE_UNKNOWN: { status: 404 },
  SCOPE_MISSING: { status: 403 },
  SCOPE_UNKNOWN: { status: 404 },
  SECRET_UNAVAILABLE: { status: 503 },
  SESSION_ENDED: { status: 401 },
  SIGNAL_UNKNOWN: { status: 404 },
  SIGN_IN_INSECURE: { status: 403 },
  STORAGE_FULL: { status: 413 },
  TASK_AMBIGUOUS: { exit: 'invalid' },
  TASK_UNKNOWN: { status: 404 },
  TENANT_INVALID: { exit: 'invalid' },
  TOKEN_INVALID: { status: 401 },
  TOKEN_KEYS_INVALID: { exit: 'invalid' },
  WEBHOOK_UNKNOWN: { status: 404 },
  WORKFLOW_ARCHIVED: { exit: 'notFound' },
  WORKFLOW_INVALID: { status: 422 },
  WORKFLOW_MOVED: { status: 412 },
  WORKFLOW_UNKNOWN: { status: 404 },
};

const codeOf = (code: string): Code => (Object.hasOwn(codes, code) ? codes[code] : undefined) ?? {};

/** Returns the HTTP status of a refusal. */
export const statusOf = (code: string): number => codeOf(code).status ?? 409;

/** Returns the exit of a refused command. `status`: the one of the response; absent for a local refusal. */
export function commandEndOf(code: string, status: number = statusOf(code)): CommandEnd {
  const { exit } = codeOf(code);
  if (exit !== undefined) return exit;
  return code.startsWith('REDIS_') ? 'unreachable' : endByStatus(status);
}

function endByStatus(status: number): CommandEnd {
  if (status === 404) return 'notFound';
  if (status === 500) return 'bug';
  if (status > 500 || status === 429) return 'unreachable';
  return [401, 403, 409, 412].includes(status) ? 'notAllowed' : 'invalid';
}
