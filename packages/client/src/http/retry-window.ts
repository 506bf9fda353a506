import { ApiProblem, ConnectionError } from './problem.ts';

/** Default time that a server may be away, in milliseconds: longer than a restart takes. */
export const defaultRetryWindowMs = 5 * 60_000;

/** Bears with a server that is away, as while it restarts. */
export interface RetryWindow {
  /** The server answers. */
  reset(): void;
  /** Throws the error, unless it is one that passes and the server has not been away for too long. */
  check(error: unknown): void;
}

/** Bears with a server for so long, counted from the first answer that it owes. */
export function createRetryWindow(ms: number): RetryWindow {
  let awaySince: number | undefined;
  return {
    reset() {
      awaySince = undefined;
    },
    check(error) {
      awaySince ??= Date.now();
      if (!isTransientError(error) || Date.now() - awaySince >= ms) throw error;
    },
  };
}

const isTransientError = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof ApiProblem && (error.status >= 500 || error.status === 429));
