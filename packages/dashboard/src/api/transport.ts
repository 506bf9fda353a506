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

/** Sign-ins that are under way, and those that have ended. */
const signIns = { pending: 0, ended: 0 };

/**
 * Does work that ends with a sign-in. Other requests that the page has sent before its end may be refused, which does not
 * mean that the browser is signed out.
 */
export async function untilSignedIn<T>(work: () => Promise<T>): Promise<T> {
  signIns.pending += 1;
  try {
    return await work();
  } finally {
    signIns.pending -= 1;
    signIns.ended += 1;
  }
}

/** Sends a request, and updates the reachability of the server and the state of the session by its outcome. */
export const fetchNoted: typeof fetch = async (input, init) => {
  const isSignIn = String(input).endsWith(signInPath);
  // The server counts unauthenticated requests, and refuses them all after some.
  if (signedOut.get() && !isSignIn) return nobodySignedIn();
  const { ended } = signIns;
  try {
    const response = await fetch(input, init);
    await noteReached(response);
    const isCurrent = signIns.pending === 0 && signIns.ended === ended;
    if (response.status === 401 && !isSignIn && isCurrent) signedOut.set(true);
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
