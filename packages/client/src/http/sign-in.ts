import type { RequestOptions } from '../client.ts';
import type { HttpOptions } from './http.ts';
import { createHttp } from './http.ts';

/** Session of a browser. */
export interface SignedIn {
  /** CSRF token: the option `csrf` of the clients of this browser. */
  readonly csrf: string;
  /** Milliseconds since 1970 when the session ends if the browser stays idle. */
  readonly expiresAt: number;
}

/** Exchanges an API key for a cookie of this browser. Throws ApiProblem, such as `KEY_INVALID` and `SIGN_IN_INSECURE`. */
export const signIn = (
  options: Omit<HttpOptions, 'apiKey'>,
  key: string,
  { signal }: RequestOptions = {},
): Promise<SignedIn> => createHttp(options).json('v1/sign-in', { method: 'POST', json: { key }, send: 'once', signal });

/** Ends the session of this browser. */
export async function signOut(options: Omit<HttpOptions, 'apiKey'>, { signal }: RequestOptions = {}): Promise<void> {
  await createHttp(options).request('v1/sign-in', { method: 'DELETE', send: 'freely', signal });
}
