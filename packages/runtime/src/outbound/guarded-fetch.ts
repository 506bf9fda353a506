import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { holdsCredentials, NodeError } from '@millrace/core';
import { Agent, buildConnector, fetch as undiciFetch } from 'undici';
import type { OutboundPolicy } from './outbound-policy.ts';
import { refusalText } from './refusal-text.ts';

/**
 * `fetch` for URLs that somebody else wrote: in a workflow, or in a request. It connects to what the reach allows and to
 * nothing else. A name is resolved once for a connection, and the connection goes to an address that was checked: a name
 * that leads elsewhere a moment later leads nowhere. Redirects make connections of their own. Rejects with a final
 * NodeError `ADDRESS_REFUSED` for what may not be reached.
 */
export function createGuardedFetch(reach: OutboundPolicy): typeof fetch {
  const connect = buildConnector({ lookup: lookupWithin(reach) });
  const dispatcher = new Agent({
    // How long an answer may take is for the caller to say, by a signal.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(options, callback) {
      // A literal address is connected to without being looked up.
      const literal = options.hostname.replace(/^\[(.*)\]$/, '$1');
      if (isIP(literal) !== 0 && !reach.allows(literal, literal)) return callback(refusalOf(literal, literal), null);
      return connect(options, callback);
    },
  });
  const guarded = async (...[input, init]: Parameters<typeof undiciFetch>) => {
    const url = input instanceof URL || typeof input === 'string' ? String(input) : input.url;
    if (holdsCredentials(url)) throw new NodeError('ADDRESS_REFUSED', `${new URL(url).host}: ${credentials}`);
    try {
      return await undiciFetch(input, { ...init, dispatcher });
    } catch (error) {
      throw error instanceof Error && error.cause instanceof NodeError ? error.cause : error;
    }
  };
  return guarded as unknown as typeof fetch; // the same function of the web, with types of its own
}

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
