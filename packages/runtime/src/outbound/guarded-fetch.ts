import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { holdsCredentials, NodeError } from '@millrace/core';
import type { Agent, Dispatcher, fetch as undiciFetch } from 'undici';
import { refusalText } from './assert-reachable.ts';
import type { OutboundPolicy } from './outbound-policy.ts';

/**
 * `fetch` for URLs of authors: from a workflow, or from a request. It connects only to addresses that the policy
 * allows. A name is resolved once for a connection, and the connection uses the address that was checked, so a name
 * that resolves differently a moment later gains nothing. Redirects make connections of their own, and take no keys to other
 * servers. Rejects with a final NodeError `ADDRESS_REFUSED` for addresses that are not allowed.
 */
export function createGuardedFetch(reach: OutboundPolicy): typeof fetch {
  let client: Promise<GuardedClient> | undefined;
  const guarded = async (...[input, init]: Parameters<typeof undiciFetch>) => {
    const url = input instanceof URL || typeof input === 'string' ? String(input) : input.url;
    if (holdsCredentials(url)) throw new NodeError('ADDRESS_REFUSED', `${new URL(url).host}: ${credentials}`);
    client ??= createClient(reach);
    const { request, dispatcher } = await client;
    try {
      return await request(input, { ...init, dispatcher: dispatcher.compose(keepingHeadersFor(url)) });
    } catch (error) {
      throw error instanceof Error && error.cause instanceof NodeError ? error.cause : error;
    }
  };
  return guarded as unknown as typeof fetch; // the same function as the global one, with other types
}

/** Client of undici that connects only to allowed addresses. */
interface GuardedClient {
  readonly request: typeof undiciFetch;
  readonly dispatcher: Agent;
}

/** Loads undici with the first request: most processes make none, and its 110 modules slow down their start. */
async function createClient(reach: OutboundPolicy): Promise<GuardedClient> {
  const { Agent, buildConnector, fetch: request } = await import('undici');
  const connect = buildConnector({ lookup: lookupWithin(reach) });
  const dispatcher = new Agent({
    // The caller limits the duration of a request by a signal.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(options, callback) {
      // A literal address is connected to without a lookup.
      const literal = options.hostname.replace(/^\[(.*)\]$/, '$1');
      if (isIP(literal) !== 0 && !reach.allows(literal, literal)) return callback(refusalOf(literal, literal), null);
      return connect(options, callback);
    },
  });
  return { request, dispatcher };
}

/** Headers that a redirect takes to another server: none that could prove who asks. */
const plainHeaders: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-encoding',
  'content-language',
  'content-length',
  'content-type',
  'range',
  'user-agent',
]);

/** Keeps other headers from servers to which the one at a URL redirects: keys are in headers of any name. */
const keepingHeadersFor =
  (url: string): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) => {
    if (String(options.origin) === new URL(url).origin) return dispatch(options, handler);
    const headers = Object.entries(options.headers ?? {}).filter(([name]) => plainHeaders.has(name.toLowerCase()));
    return dispatch({ ...options, headers: Object.fromEntries(headers) }, handler);
  };

const credentials = 'an address with a user name or a password is not asked. Send what proves who asks in a header.';

const lookupWithin =
  (reach: OutboundPolicy): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }).then(
      (found) => {
        const [first] = found;
        const refused = found.find(({ address }) => !reach.allows(hostname, address));
        if (refused !== undefined) return callback(refusalOf(hostname, refused.address), []);
        if (options.all === true) return callback(null, found);
        return callback(null, first?.address ?? '', first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };

const refusalOf = (host: string, address: string): NodeError =>
  new NodeError('ADDRESS_REFUSED', refusalText(host, address));
