import { createStore } from './store.ts';

/** Reachability of the server: the last response, and whether one has failed to come since. */
export interface Reachability {
  readonly isReached: boolean;
  /** Milliseconds since 1970; 0 before the first response. */
  readonly lastReachedAt: number;
}

/** Reachability of the server, as the last request found it. */
export const reachability = createStore<Reachability>({ isReached: true, lastReachedAt: 0 });

/** Set once a response has said that nobody is signed in. */
export const signedOut = createStore(false);

let csrf: string | undefined;

/** Keeps the token that requests of a browser which is signed in carry. */
export const keepCsrf = (token: string | undefined): void => {
  csrf = token;
};

/** Sends a request with the token of the session, and notes what its outcome says about the server and the session. */
export const fetchNoted: typeof fetch = async (input, init = {}) => {
  const { method = 'GET', signal } = init;
  const headers = new Headers(init.headers);
  if (csrf !== undefined && method !== 'GET' && method !== 'HEAD') headers.set('x-millrace-ui', csrf);
  try {
    const response = await fetch(input, { ...init, headers });
    note(response);
    return response;
  } catch (error) {
    // Only a caller aborts with this reason; requests that take too long have another.
    const isAborted = signal?.reason instanceof DOMException && signal.reason.name === 'AbortError';
    if (!isAborted) reachability.set({ ...reachability.get(), isReached: false });
    throw error;
  }
};

function note(response: Response): void {
  const { status, headers } = response;
  // A proxy says so when there is no server behind it; the server itself sends a problem.
  const isAway = [502, 503, 504].includes(status) && headers.get('content-type')?.includes('problem+json') !== true;
  reachability.set(
    isAway ? { ...reachability.get(), isReached: false } : { isReached: true, lastReachedAt: Date.now() },
  );
  if (status === 401 && !response.url.endsWith('/v1/sign-in')) signedOut.set(true);
}
