import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { RequestError } from '@millrace/core';
import type { OutboundPolicy } from './outbound-policy.ts';

/**
 * Throws RequestError for a URL whose host resolves, at present, to an address that is not allowed. A name that
 * resolves to nothing now may do so later: the check of each connection decides.
 */
export async function assertReachable(reach: OutboundPolicy, url: string): Promise<void> {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
  const addresses = isIP(host) === 0 ? await addressesOf(host) : [host];
  const refused = addresses.find((address) => !reach.allows(host, address));
  if (refused !== undefined) throw new RequestError('ADDRESS_REFUSED', refusalText(host, refused));
}

async function addressesOf(host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}

/** Returns the message of a refused connection, with its cure. */
export const refusalText = (host: string, address: string): string =>
  `${host === address ? address : `${host} (${address})`} is no public address, so it is not connected to. The operator of the process can allow it with MILLRACE_OUTBOUND_ALLOW.`;
