import { timingSafeEqual } from 'node:crypto';
import { RequestError } from '@millrace/core';
import { isLoopbackHost, sessionMaxAgeSeconds } from '@millrace/runtime';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { RequestSource } from './local-request.ts';
import { isForwarded, isLocalRequest, ownOrigin } from './local-request.ts';

/*
 * The cookie of a signed-in browser. Browsers add cookies to requests by themselves, so a cookie alone proves nothing:
 *
 *   SameSite=Strict            other sites cannot make the browser send it
 *   Origin, Sec-Fetch-Site     the request must come from a page of this server; another port is another origin
 *   X-Millrace-UI              required of requests that change something; only pages of this server can read its value
 *   __Host-, Secure            no other host of the domain, and no observer of the network, can set or read it
 *
 * A connection over plain HTTP is accepted only at a loopback address, which browsers treat as secure.
 */

/** Header with the CSRF token of a session. */
export const csrfHeader = 'x-millrace-ui';

/** Throws RequestError if an observer of the network can read what this browser and the server exchange. */
export function assertPrivateConnection(source: RequestSource): void {
  if (cookieNameOf(source) !== undefined) return;
  throw new RequestError('SIGN_IN_INSECURE', insecure);
}

const insecure =
  'Signing in would send the key and the cookie unencrypted over the network. Use HTTPS: a proxy with a certificate that MILLRACE_TRUST_PROXY names and that sends X-Forwarded-Proto and X-Forwarded-For. Or open the page at 127.0.0.1 through a tunnel, such as "ssh -L 4700:127.0.0.1:4700 HOST".';

/** Returns the token in the cookie of a request; undefined if it has none that counts. */
export function sessionTokenIn(source: RequestSource): string | undefined {
  const { cookie } = source.headers;
  if (cookie === undefined) return undefined;
  const name = cookieNameOf(source);
  return name === undefined ? undefined : parseCookie(cookie)[name];
}

/** Returns the header that gives a browser its token. */
export const cookieWith = (token: string, source: RequestSource): string =>
  setCookie(source, token, sessionMaxAgeSeconds);

/** Returns the header that removes the token from a browser. */
export const cookieWithout = (source: RequestSource): string => setCookie(source, '', 0);

function setCookie(source: RequestSource, value: string, maxAge: number): string {
  const name = cookieNameOf(source) ?? plainName;
  return stringifySetCookie({
    name,
    value,
    maxAge,
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: name !== plainName,
  });
}

const plainName = 'millrace';

/** Returns the name of the cookie for the connection of a request; undefined if no cookie may be sent over it. */
function cookieNameOf(source: RequestSource): string | undefined {
  if (source.protocol === 'https') return `__Host-${plainName}`;
  return isLoopbackHost(source.host) && (!isForwarded(source) || isLocalRequest(source)) ? plainName : undefined;
}

/** Throws RequestError unless the request comes from a page of this server. */
export function assertOwnPage(source: RequestSource): void {
  const { origin, 'sec-fetch-site': site } = source.headers;
  const isOwn = origin === undefined ? site === 'same-origin' : origin === ownOrigin(source) && isSameSite(site);
  if (isOwn) return;
  throw new RequestError(
    'ORIGIN_REFUSED',
    `This request comes from ${pageOf(origin, site)}. The cookie of a signed-in browser counts only in requests of pages of ${ownOrigin(source) ?? 'this server'}.`,
  );
}

const isSameSite = (site: unknown): boolean => site === undefined || site === 'same-origin';

const pageOf = (origin: string | undefined, site: unknown): string =>
  origin === undefined ? `no page of this server (Sec-Fetch-Site: ${site ?? 'absent'})` : `the origin ${origin}`;

/** Throws RequestError unless a request that changes something has the CSRF token of its session. */
export function assertCsrf({ method, headers }: RequestSource, expected: string): void {
  if (method === 'GET' || method === 'HEAD') return;
  const given = headers[csrfHeader];
  if (typeof given === 'string' && isSame(given, expected)) return;
  const fault = given === undefined ? 'The header X-Millrace-UI is missing' : 'The header X-Millrace-UI is wrong';
  throw new RequestError(
    'CSRF_REFUSED',
    `${fault}. A request with a cookie that changes something needs the value that GET /v1/me returns as "csrf".`,
  );
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
