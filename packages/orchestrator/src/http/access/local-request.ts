import { RequestError } from '@millrace/core';
import { isLoopback, isLoopbackHost } from '@millrace/runtime';
import type { FastifyRequest } from 'fastify';

/*
 * Guards requests without a key, on a server that requires none. They must come from a program of this machine, or from a
 * page of this server:
 *
 *   forwarding headers   a proxy forwarded it, so it may come from anywhere, unless a trusted proxy names a local client
 *   Host                 another name that resolves to this machine is DNS rebinding
 *   Origin               must be that of the request itself; another port of this machine is another site
 *   Sec-Fetch-Site       sent by browsers also with requests that have no Origin, such as images, forms and scripts
 */

/** Properties of a request that show its origin. `X-Forwarded-*` of trusted proxies are applied to the first four. */
export type RequestSource = Pick<FastifyRequest, 'ip' | 'ips' | 'host' | 'protocol' | 'method' | 'headers'>;

/** Throws RequestError unless a request without a key comes from this machine. */
export function assertLocalRequest(request: RequestSource): void {
  if (!isLocalRequest(request)) throw new RequestError('KEY_MISSING', forwarded);
  if (request.host !== '' && !isLoopbackHost(request.host)) {
    throw new RequestError('HOST_NOT_LOOPBACK', `The HTTP API is for this machine only, not for ${request.host}.`);
  }
  const foreign = foreignSite(request);
  if (foreign === undefined) return;
  throw new RequestError(
    'ORIGIN_REFUSED',
    `This request comes from ${foreign}. While there are no API keys, the HTTP API serves no pages but its own.`,
  );
}

const forwarded =
  'This request came through a proxy, so it may come from another machine. Send an API key, as in "Authorization: Bearer mk_…"; `millrace keys create` makes one.';

/** Returns whether a request was made on this machine, according to the request and trusted proxies. */
export function isLocalRequest({ headers, ip, ips = [] }: RequestSource): boolean {
  if (!isForwarded({ headers })) return isLoopback(ip);
  // Only X-Forwarded-For is used: a request with the other header, too, may mean another client.
  return ips.length > 1 && headers.forwarded === undefined && isLoopback(ip);
}

/** Returns whether a proxy has forwarded a request. */
export const isForwarded = ({ headers }: Pick<RequestSource, 'headers'>): boolean =>
  Object.keys(headers).some(isForwarding);

const isForwarding = (name: string): boolean =>
  name === 'forwarded' || name === 'x-real-ip' || name.startsWith('x-forwarded-');

/**
 * Returns the site whose page made the browser send the request; undefined for pages of this server and for other
 * programs.
 */
function foreignSite(request: RequestSource): string | undefined {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (origin !== undefined && origin !== ownOrigin(request)) return `the origin ${origin}`;
  const isOwn = site === undefined || site === 'same-origin' || site === 'none';
  return isOwn || isFollowedLink(request) ? undefined : `a page of another origin (Sec-Fetch-Site: ${site})`;
}

/** Returns the origin of the pages that a request would come from if this server served them. */
export function ownOrigin({ protocol, host }: RequestSource): string | undefined {
  const url = `${protocol}://${host}`;
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

/** Returns whether a person followed a link on another page: the person sees the response, and that page does not. */
const isFollowedLink = ({ method, headers }: RequestSource): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers['sec-fetch-mode'] === 'navigate' &&
  headers['sec-fetch-dest'] === 'document';
