import { ApiProblem, ConnectionError } from './problem.ts';

/** How long a server may be away where nobody says otherwise, in milliseconds: longer than a restart takes. */
export const usualPatienceMs = 5 * 60_000;

/** Bears with a server that is away, as while it restarts. */
export interface Patience {
  /** The server answers. */
  heard(): void;
  /** Throws the error, unless it is one that passes and the server has not been away for too long. */
  bear(error: unknown): void;
}

/** Bears with a server for so long, counted from the first answer that it owes. */
export function createPatience(ms: number): Patience {
  let awaySince: number | undefined;
  return {
    heard() {
      awaySince = undefined;
    },
    bear(error) {
      awaySince ??= Date.now();
      if (!mayPass(error) || Date.now() - awaySince >= ms) throw error;
    },
  };
}

const mayPass = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof ApiProblem && (error.status >= 500 || error.status === 429));
