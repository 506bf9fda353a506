import { CommanderError } from 'commander';
import type { ExitCode } from './exit.ts';
import { CommandError, exitCodes } from './exit.ts';
import type { Terminal } from './terminal.ts';

/** Says why a command ended early, and gives the exit code for it. */
export async function reportFailure(terminal: Terminal, error: unknown): Promise<ExitCode> {
  // Commander has said it already; help that was asked for is no failure.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.completed : exitCodes.invalid;
  if (error instanceof CommandError) return say(terminal, error.message, error.exit);
  const { RequestError } = await import('@millrace/core');
  if (error instanceof RequestError)
    return say(terminal, `${error.message} [${error.code}]`, exitOfRequest(error.code));
  if (isConnectionError(error)) return say(terminal, `Redis does not answer: ${error.message}`, exitCodes.unreachable);
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return say(terminal, `This is a bug in millrace; please report it.\n${stack}`, exitCodes.bug);
}

const exitsOfRequests: { readonly [code: string]: ExitCode } = {
  HOST_NOT_LOOPBACK: exitCodes.invalid,
  INPUT_EMPTY: exitCodes.invalid,
  PORT_TAKEN: exitCodes.invalid,
  REDIS_URL: exitCodes.invalid,
  TASK_AMBIGUOUS: exitCodes.invalid,
  RUN_ENDED: exitCodes.notAllowed,
  TASK_ANSWERED: exitCodes.notAllowed,
};

function exitOfRequest(code: string): ExitCode {
  const exit = exitsOfRequests[code];
  if (exit !== undefined) return exit;
  return code.startsWith('REDIS_') ? exitCodes.unreachable : exitCodes.notFound;
}

function say(terminal: Terminal, message: string, exit: ExitCode): ExitCode {
  terminal.say(terminal.paint.red(message));
  return exit;
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
  if (error.name === 'MaxRetriesPerRequestError' || error.message === 'Connection is closed.') return true;
  return 'code' in error && typeof error.code === 'string' && connectionCodes.has(error.code);
}
