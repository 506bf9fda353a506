import type { ApiProblem } from '@millrace/client';
import type { Issue, RequestError } from '@millrace/core';

/** Exit codes of commands. */
export const exitCodes = {
  /** The run completed, or one of its terminations stopped it. */
  completed: 0,
  /** The run failed, was cancelled or ran out of its budget. */
  failed: 1,
  /** Invalid definition or usage. */
  invalid: 2,
  notFound: 3,
  /** The state of the resource forbids the request. */
  notAllowed: 4,
  /** Redis is absent or does not respond. */
  unreachable: 5,
  /** The run waits for an answer, and no person at this terminal can give it. */
  waiting: 6,
  /** A bug of Millrace. */
  bug: 70,
  /** Ctrl-C; the run continues. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

interface CommandErrorOptions extends ErrorOptions {
  /** Issues of a definition, if they are the reason. */
  readonly issues?: readonly Issue[];
  /** Code with a page in docs/errors. */
  readonly code?: string;
}

/** Ends the command with a message and an exit code. */
export class CommandError extends Error {
  readonly exit: ExitCode;
  readonly issues: readonly Issue[];
  readonly code: string | undefined;
  constructor(exit: ExitCode, message: string, options: CommandErrorOptions = {}) {
    super(message, options);
    this.name = 'CommandError';
    this.exit = exit;
    this.code = options.code;
    this.issues = options.issues ?? [];
  }
}

/** Refusal of an operation, or of a step on the way to one. */
interface Refusal {
  readonly code: string;
  readonly message: string;
  /** Status as HTTP has it; absent for a refusal of this process. */
  readonly status?: number;
  /** Fields of the input that are malformed. */
  readonly pointers: readonly string[];
}

type KnownError = (ApiProblem | RequestError) & Partial<Pick<ApiProblem, 'errors' | 'status'>>;

/** Returns the refusal of an error. Errors are recognised by their names, because neither `core` nor the client may be loaded. */
export function refusalIn(error: unknown): Refusal | undefined {
  if (!isKnownError(error)) return undefined;
  const { code, status, errors = [] } = error;
  const refusal = { code, message: messageWithIssues(error), pointers: errors.map(({ pointer }) => pointer) };
  return status === undefined ? refusal : { ...refusal, status };
}

const isKnownError = (error: unknown): error is KnownError =>
  error instanceof Error && (error.name === 'RequestError' || error.name === 'ApiProblem');

/** Returns the message of an error, with each issue of a workflow. */
function messageWithIssues({ message, errors = [] }: KnownError): string {
  // The message of a malformed request contains them already.
  const missing = errors.filter(({ detail }) => !message.includes(detail));
  const lines = missing.map(({ line, column, pointer, detail, code }) => {
    const position = line === undefined ? pointer : `${line}:${column}`;
    return `  ${position} ${detail}${code === undefined ? '' : ` [${code}]`}`;
  });
  return [message, ...lines].join('\n');
}
