import { ApiProblem, ConnectionError } from './problem.ts';

/** Default time that a server may be unreachable, in milliseconds: longer than a restart takes. */
export const defaultRetryWindowMs = 5 * 60_000;

/** Time for which failed requests are retried, as during a restart of the server. */
export interface RetryWindow {
  /** Records that the server has responded. */
  reset(): void;
  /** Throws the error unless it is temporary and the window is open. */
  check(error: unknown): void;
}

/** Creates a window of this length, which begins with the first failure after a response. */
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
