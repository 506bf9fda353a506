/** Background work that ends or is stopped. */
export interface Activity {
  /** Starts it unless it is in progress. */
  start(): void;
  stop(): void;
  /** Returns the error for which it has ended; undefined: none. */
  error(): unknown;
}

interface ActivityOptions {
  readonly work: (signal: AbortSignal) => Promise<void>;
  /** Called when it has failed. */
  readonly failed: () => void;
}

/** Creates an activity, which is not started yet. */
export function createActivity({ work, failed }: ActivityOptions): Activity {
  let current: AbortController | undefined;
  let error: unknown;
  return {
    start() {
      if (current !== undefined) return;
      const attempt = new AbortController();
      current = attempt;
      error = undefined;
      work(attempt.signal)
        .catch((reason: unknown) => {
          if (attempt.signal.aborted) return;
          error = reason;
          failed();
        })
        .finally(() => {
          if (current === attempt) current = undefined;
        });
    },
    stop() {
      current?.abort();
      current = undefined;
    },
    error: () => error,
  };
}
