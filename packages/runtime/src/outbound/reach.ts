import { BlockList, isIP } from 'node:net';
import { RequestError } from '@millrace/core';

/** Which addresses may be reached for those who write URLs: all public ones, and what is allowed beside them. */
export interface Reach {
  /** Whether a host of this name may be reached at this address. */
  allows(host: string, address: string): boolean;
}

/** What only this machine, this network or nobody is at. */
const inner: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/127',
  // These carry an IPv4 address within, which may be any of the above.
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2001::/32',
  '2002::/16',
  '100::/64',
  '2001:db8::/32',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
];
const loopback = ['127.0.0.0/8', '::1'];
const refused = listOf(inner);

/**
 * A reach with what is allowed beside public addresses: `loopback`, addresses, networks such as 10.1.0.0/16, and names of
 * hosts, which may then be anywhere. Throws RequestError for anything else.
 */
export function createReach(allowed: readonly string[]): Reach {
  const entries = allowed.flatMap((entry) => (entry === 'loopback' ? loopback : [entry.toLowerCase()]));
  const networks = listOf(entries.filter(isNetwork));
  const names = new Set(entries.filter((entry) => !isNetwork(entry)));
  for (const name of names) {
    if (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name) && !/^[\d.]+$/.test(name)) continue;
    throw new RequestError(
      'OUTBOUND_INVALID',
      `"${name}" is neither \`loopback\` nor an address, a network such as 10.1.0.0/16 or the name of a host.`,
    );
  }
  return {
    allows: (host, address) =>
      names.has(host.toLowerCase()) || networks.check(address, familyOf(address)) || !isInner(address),
  };
}

const isInner = (address: string): boolean => isIP(address) === 0 || refused.check(address, familyOf(address));

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

function isNetwork(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32));
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
}
