import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { RequestError } from '@millrace/core';
import type { OutboundPolicy } from './outbound-policy.ts';
import { refusalText } from './refusal-text.ts';

/**
 * Throws RequestError for a URL that leads, as far as one can tell now, to where it may not. A name that leads nowhere
 * now may lead somewhere later: what counts is the check of each connection.
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
