import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { holdsCredentials, NodeError } from '@millrace/core';
import { Agent, buildConnector, fetch as undiciFetch } from 'undici';
import type { OutboundPolicy } from './outbound-policy.ts';
import { refusalText } from './refusal-text.ts';

/**
 * `fetch` for URLs of authors: from a workflow, or from a request. It connects only to addresses that the policy
 * allows. A name is resolved once for a connection, and the connection uses the address that was checked, so a name
 * that resolves differently a moment later gains nothing. Redirects make connections of their own. Rejects with a final
 * NodeError `ADDRESS_REFUSED` for addresses that are not allowed.
 */
export function createGuardedFetch(reach: OutboundPolicy): typeof fetch {
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
  const guarded = async (...[input, init]: Parameters<typeof undiciFetch>) => {
    const url = input instanceof URL || typeof input === 'string' ? String(input) : input.url;
    if (holdsCredentials(url)) throw new NodeError('ADDRESS_REFUSED', `${new URL(url).host}: ${credentials}`);
    try {
      return await undiciFetch(input, { ...init, dispatcher });
    } catch (error) {
      throw error instanceof Error && error.cause instanceof NodeError ? error.cause : error;
    }
  };
  return guarded as unknown as typeof fetch; // the same function as the global one, with types of its own
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
