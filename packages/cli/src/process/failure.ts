import type { Issue } from '@millrace/core';
import { omitUndefined } from '@millrace/core/omit-undefined';
import { CommanderError } from 'commander';
import type { ExitCode } from '../exit/exit.ts';
import { CommandError, exitCodes, refusalIn } from '../exit/exit.ts';
import type { Terminal } from '../output/terminal/terminal.ts';

/** Reason why a command ended early. */
interface Reason {
  readonly exit: ExitCode;
  readonly message: string;
  readonly code?: string;
  readonly issues?: readonly Issue[];
}

/** Reports why a command ended early, to people and, with `--json`, to programs; returns the exit code. */
export async function reportFailure(terminal: Terminal, error: unknown, json = false): Promise<ExitCode> {
  if (error instanceof CommanderError) return reportUsage(terminal, error, json);
  const reason = await reasonOf(error);
  terminal.say(reason.code === undefined ? reason.message : `${reason.message} [${reason.code}]`, 'red');
  if (json) terminal.data(JSON.stringify({ error: reason }));
  return reason.exit;
}

/** Returns the exit code of an error of Commander, which has printed it already; requested help is not a failure. */
function reportUsage(terminal: Terminal, { code, exitCode, message: text }: CommanderError, json: boolean): ExitCode {
  if (exitCode === 0) return exitCodes.completed;
  const exit = exitCodes.invalid;
  const message = code === 'commander.help' ? 'A command is missing.' : text.replace(/^error: /, '');
  if (json) terminal.data(JSON.stringify({ error: { exit, message } }));
  return exit;
}

async function reasonOf(thrown: unknown): Promise<Reason> {
  const known = await knownReason(thrown);
  if (known !== undefined) return known;
  // A part of the installation may be missing, which is reported as the bug that it is.
  const runtime = await import('@millrace/runtime').catch(() => undefined);
  const error = runtime === undefined ? thrown : runtime.withOutage(thrown);
  const outage = await knownReason(error);
  if (outage !== undefined) return outage;
  if (isConnectionError(error)) {
    return { exit: exitCodes.unreachable, message: `Redis does not answer: ${error.message}` };
  }
  if (isPathError(error)) {
    const message = `The place ${error.path} cannot be written to: ${error.message}. Choose another one; MILLRACE_DIR names that of local data.`;
    return { exit: exitCodes.invalid, code: 'PATH_UNWRITABLE', message };
  }
  if (isDiskFull(error)) {
    const message = `A disk is full: ${error.message}. Free some space, or set MILLRACE_DIR to a directory on another disk.`;
    return { exit: exitCodes.invalid, code: 'PATH_UNWRITABLE', message };
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { exit: exitCodes.bug, message: `This is a bug in millrace; please report it.\n${stack}` };
}

/** Returns the reason in an error itself, without loading further modules. */
async function knownReason(error: unknown): Promise<Reason | undefined> {
  if (error instanceof CommandError) {
    const { exit, code, message, issues } = error;
    return omitUndefined({ exit, code, message, issues: issues.length === 0 ? undefined : issues });
  }
  const refusal = refusalIn(error);
  if (refusal !== undefined) {
    const { code, message, status } = refusal;
    const { commandEndOf } = await import('@millrace/api/codes');
    return { exit: exitCodes[commandEndOf(code, status)], code, message };
  }
  if (!(error instanceof Error) || !remoteErrors.has(error.name)) return undefined;
  return { exit: exitCodes.unreachable, message: `${error.message} (MILLRACE_URL)` };
}

/** Names of the errors of the client about MILLRACE_URL. They are recognised by name, because the client may not be loaded. */
const remoteErrors = new Set(['ConnectionError', 'UnexpectedResponseError']);

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

/** Tests for an error of a full disk: where the file is open already, it names no path. */
const isDiskFull = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

/** Codes of a file system for a place that is no directory, or not writable. */
const pathCodes = new Set(['EACCES', 'EEXIST', 'ENOSPC', 'ENOTDIR', 'EPERM', 'EROFS']);

function isPathError(error: unknown): error is Error & { readonly path: string } {
  if (!(error instanceof Error) || !('code' in error) || !('path' in error)) return false;
  if (typeof error.path !== 'string' || typeof error.code !== 'string') return false;
  // The parents of a directory are made first, so a missing one means that the system allows none there.
  return pathCodes.has(error.code) || (error.code === 'ENOENT' && 'syscall' in error && error.syscall === 'mkdir');
}
