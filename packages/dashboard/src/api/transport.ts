import { ApiProblem } from '@millrace/client';
import { createStore } from './store.ts';

/** Reachability of the server: the last response, and if a request has failed since. */
export interface Reachability {
  readonly isReached: boolean;
  /** The server responds, and does not reach Redis. */
  readonly lacksRedis?: true;
  /** Milliseconds since 1970; 0 before the first response. */
  readonly lastReachedAt: number;
}

/** Reachability of the server, as the last request found it. */
export const reachability = createStore<Reachability>({ isReached: true, lastReachedAt: 0 });

/** Set after a response that requires a sign-in, until a sign-in succeeds. */
export const signedOut = createStore(false);

/** Tests if an error says that the key of the caller lacks a scope; asking again soon changes nothing. */
export const isRefused = (error: unknown): boolean => error instanceof ApiProblem && error.status === 403;

const signInPath = '/v1/sign-in';

/** Sends a request, and updates the reachability of the server and the state of the session by its outcome. */
export const fetchNoted: typeof fetch = async (input, init) => {
  const isSignIn = String(input).endsWith(signInPath);
  // The server counts unauthenticated requests, and refuses them all after some.
  if (signedOut.get() && !isSignIn) return nobodySignedIn();
  try {
    const response = await fetch(input, init);
    await noteReached(response);
    if (response.status === 401 && !isSignIn) signedOut.set(true);
    return response;
  } catch (error) {
    if (!isAborted(init?.signal))
      reachability.set({ isReached: false, lastReachedAt: reachability.get().lastReachedAt });
    throw error;
  }
};

async function noteReached(response: Response): Promise<void> {
  const { lastReachedAt } = reachability.get();
  if (![502, 503, 504].includes(response.status)) reachability.set({ isReached: true, lastReachedAt: Date.now() });
  // A proxy responds so without a server behind it; the server itself sends a problem.
  else if (response.headers.get('content-type')?.includes('problem+json') !== true)
    reachability.set({ isReached: false, lastReachedAt });
  else if (await lacksRedis(response)) reachability.set({ isReached: false, lacksRedis: true, lastReachedAt });
  else reachability.set({ isReached: true, lastReachedAt: Date.now() });
}

async function lacksRedis(response: Response): Promise<boolean> {
  const problem: unknown = await response.clone().json();
  return typeof problem === 'object' && problem !== null && 'code' in problem && problem.code === 'REDIS_UNREACHABLE';
}

/** Tests if the caller has aborted a request; requests that take too long are aborted with another reason. */
const isAborted = (signal: AbortSignal | null | undefined): boolean =>
  signal?.reason instanceof DOMException && signal.reason.name === 'AbortError';

const nobodySignedIn = (): Response =>
  new Response(JSON.stringify({ code: 'KEY_MISSING', detail: 'You are signed out.' }), {
    status: 401,
    headers: { 'content-type': 'application/problem+json' },
  });
