import type { Issue } from '@millrace/core';

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

/** Ends the command with a message and an exit code. */
export class CommandError extends Error {
  readonly exit: ExitCode;
  /** Issues of a definition, if they are the reason. */
  readonly issues: readonly Issue[];
  constructor(exit: ExitCode, message: string, options: ErrorOptions & { readonly issues?: readonly Issue[] } = {}) {
    super(message, options);
    this.name = 'CommandError';
    this.exit = exit;
    this.issues = options.issues ?? [];
  }
}
