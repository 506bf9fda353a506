import type { Issue } from '@millrace/core';
import { CommanderError } from 'commander';
import type { ExitCode } from './exit.ts';
import { CommandError, exitCodes } from './exit.ts';
import type { Refusal } from './refusal.ts';
import { refusalIn } from './refusal.ts';
import type { Terminal } from './terminal.ts';

/** Why a command ended early. */
interface Reason {
  readonly exit: ExitCode;
  readonly message: string;
  readonly code?: string;
  readonly issues?: readonly Issue[];
}

/** Says why a command ended early, for people and, if JSON was asked for, for programs too; gives the exit code for it. */
export async function reportFailure(terminal: Terminal, error: unknown, json = false): Promise<ExitCode> {
  if (error instanceof CommanderError) return reportUsage(terminal, error, json);
  const reason = await reasonOf(error);
  terminal.say(reason.code === undefined ? reason.message : `${reason.message} [${reason.code}]`, 'red');
  if (json) terminal.data(JSON.stringify({ error: reason }));
  return reason.exit;
}

/** Commander has told people already; help that was asked for is no failure. */
function reportUsage(terminal: Terminal, { code, exitCode, message: said }: CommanderError, json: boolean): ExitCode {
  if (exitCode === 0) return exitCodes.completed;
  const exit = exitCodes.invalid;
  const message = code === 'commander.help' ? 'A command is missing.' : said.replace(/^error: /, '');
  if (json) terminal.data(JSON.stringify({ error: { exit, message } }));
  return exit;
}

async function reasonOf(thrown: unknown): Promise<Reason> {
  const { withOutage } = await import('@millrace/runtime');
  const error = withOutage(thrown);
  if (error instanceof CommandError) {
    const { exit, message, issues } = error;
    return issues.length === 0 ? { exit, message } : { exit, message, issues };
  }
  const refusal = await refusalIn(error);
  if (refusal !== undefined) {
    const { code, message } = refusal;
    return { exit: exitOfRequest(refusal), code, message };
  }
  if (error instanceof Error && farTroubles.has(error.name)) {
    return { exit: exitCodes.unreachable, message: `${error.message} (MILLRACE_URL)` };
  }
  if (isConnectionError(error)) {
    return { exit: exitCodes.unreachable, message: `Redis does not answer: ${error.message}` };
  }
  if (isPlaceError(error)) {
    const message = `The place ${error.path} cannot be written to: ${error.message}. Name another one, such as with MILLRACE_DIR.`;
    return { exit: exitCodes.invalid, message };
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { exit: exitCodes.bug, message: `This is a bug in millrace; please report it.\n${stack}` };
}

/** What the client says of the place that MILLRACE_URL names. It is told by its name: the client may not be loaded. */
const farTroubles = new Set(['ConnectionError', 'ForeignAnswerError']);

const exitsOfRequests: { readonly [code: string]: ExitCode } = {
  ADDRESS_REFUSED: exitCodes.invalid,
  ANSWER_EMPTY: exitCodes.invalid,
  ARCHIVE_UNREADABLE: exitCodes.invalid,
  ATTACHMENT_TOO_LARGE: exitCodes.invalid,
  BATCH_INVALID: exitCodes.invalid,
  BATCH_UNFINISHED: exitCodes.notAllowed,
  CRON_INVALID: exitCodes.invalid,
  FORMAT_NEWER: exitCodes.notAllowed,
  KEY_INVALID: exitCodes.notAllowed,
  KEY_MISSING: exitCodes.notAllowed,
  REQUEST_INVALID: exitCodes.invalid,
  SCHEDULE_EXISTS: exitCodes.notAllowed,
  SCOPE_MISSING: exitCodes.notAllowed,
  TASK_CLAIMED: exitCodes.notAllowed,
  WORKFLOW_INVALID: exitCodes.invalid,
  WORKFLOW_MOVED: exitCodes.notAllowed,
  INPUT_EMPTY: exitCodes.invalid,
  OUTBOUND_INVALID: exitCodes.invalid,
  PORT_TAKEN: exitCodes.invalid,
  TOKEN_KEYS_INVALID: exitCodes.invalid,
  REDIS_URL: exitCodes.invalid,
  REPLAY_IMPOSSIBLE: exitCodes.notAllowed,
  TENANT_INVALID: exitCodes.invalid,
  TASK_AMBIGUOUS: exitCodes.invalid,
  RUN_ENDED: exitCodes.notAllowed,
  RUN_EXISTS: exitCodes.notAllowed,
  MESSAGE_TOO_LARGE: exitCodes.invalid,
  RUN_AT_WORK: exitCodes.notAllowed,
  RUN_NOT_ACTIVE: exitCodes.notAllowed,
  RUN_NOT_ENDED: exitCodes.notAllowed,
  RUN_NOT_FAILED: exitCodes.notAllowed,
  RESUME_INPUT_REQUIRED: exitCodes.invalid,
  RESUME_TARGET_REQUIRED: exitCodes.invalid,
  RESUME_TARGET_UNKNOWN: exitCodes.invalid,
  RUN_NOT_LISTENING: exitCodes.notAllowed,
  SCOPE_UNKNOWN: exitCodes.notFound,
  SIGNAL_UNKNOWN: exitCodes.notFound,
  RUN_NOT_STOPPED: exitCodes.notAllowed,
  TASK_ANSWERED: exitCodes.notAllowed,
};

function exitOfRequest({ code, status }: Refusal): ExitCode {
  const exit = Object.hasOwn(exitsOfRequests, code) ? exitsOfRequests[code] : undefined;
  if (exit !== undefined) return exit;
  if (code.startsWith('REDIS_')) return exitCodes.unreachable;
  return status === undefined ? exitCodes.notFound : exitOfStatus(status);
}

/** What HTTP says of a refusal whose code says no more. */
function exitOfStatus(status: number): ExitCode {
  if (status === 404) return exitCodes.notFound;
  if (status === 500) return exitCodes.bug;
  if (status > 500 || status === 429) return exitCodes.unreachable;
  return [401, 403, 409, 412].includes(status) ? exitCodes.notAllowed : exitCodes.invalid;
}

const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EPIPE',
  'NR_CLOSED',
]);

function isConnectionError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return 'code' in error && typeof error.code === 'string' && connectionCodes.has(error.code);
}

/** What a file system says of a place that is no directory, or that it will not let us write to. */
const placeCodes = new Set(['EACCES', 'EEXIST', 'ENOSPC', 'ENOTDIR', 'EPERM', 'EROFS']);

function isPlaceError(error: unknown): error is Error & { readonly path: string } {
  if (!(error instanceof Error) || !('code' in error) || !('path' in error)) return false;
  return typeof error.path === 'string' && typeof error.code === 'string' && placeCodes.has(error.code);
}
