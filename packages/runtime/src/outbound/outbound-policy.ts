import { isIP } from 'node:net';
import { RequestError } from '@millrace/core';
import ipaddr from 'ipaddr.js';

/**
 * Policy of outbound requests to URLs of authors: all public addresses, and the addresses that are allowed in addition.
 */
export interface OutboundPolicy {
  /** Returns whether a host of this name may be reached at this address. */
  allows(host: string, address: string): boolean;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [address: Address, bits: number];

/**
 * The addresses that IANA assigns to the public, 2000::/3. All other IPv6 addresses are reserved, local or a disguised IPv4
 * address. (The patterns that read addresses cost each start of a process 4 ms.)
 */
const globalUnicast: [ipaddr.IPv6, number] = [new ipaddr.IPv6([0x2000, 0, 0, 0, 0, 0, 0, 0]), 3];

/**
 * Creates a policy with addresses that are allowed beside public ones: `loopback`, addresses, networks such as
 * 10.1.0.0/16, and names of hosts, which may then have any address. Throws RequestError for anything else.
 */
export function createOutboundPolicy(allowed: readonly string[]): OutboundPolicy {
  const networks: Network[] = [];
  const names = new Set<string>();
  const withLoopback = allowed.includes('loopback');
  for (const entry of allowed.filter((one) => one !== 'loopback')) {
    const written = entry.toLowerCase();
    const network = networkOf(written);
    if (network !== undefined) networks.push(network);
    else names.add(nameOf(written));
  }
  return {
    allows(host, written) {
      if (names.has(host.toLowerCase())) return true;
      if (!isAddress(written)) return false;
      const address = ipaddr.process(written);
      if (withLoopback && address.range() === 'loopback') return true;
      return isPublic(address) || networks.some((network) => isWithin(address, network));
    },
  };
}

/** Returns whether an address is public: not in a special range of IPv4, and global unicast in IPv6. */
const isPublic = (address: Address): boolean =>
  address.range() === 'unicast' && (!isVersion6(address) || address.match(globalUnicast));

// `isIP` refuses what the library reads leniently, such as 0x7f.1; the library refuses invalid zones.
const isAddress = (text: string): boolean => isIP(text) !== 0 && ipaddr.isValid(text);

const isVersion6 = (address: Address): address is ipaddr.IPv6 => address.kind() === 'ipv6';

const isWithin = (address: Address, [network, bits]: Network): boolean =>
  address.kind() === network.kind() && address.match(network, bits);

/** Parses an address, or a network in CIDR notation; returns undefined for anything else. */
function networkOf(entry: string): Network | undefined {
  const [written = '', bits, ...rest] = entry.split('/');
  if (!isAddress(written) || rest.length > 0) return undefined;
  const length = isIP(written) === 6 ? 128 : 32;
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > length)) return undefined;
  const address = ipaddr.parse(written);
  const prefix = bits === undefined ? length : Number(bits);
  // Addresses are compared as IPv4 when they are IPv4 addresses in IPv6 (::ffff:10.0.0.0/104).
  if (isVersion6(address) && address.isIPv4MappedAddress() && prefix >= 96)
    return [address.toIPv4Address(), prefix - 96];
  return [address, prefix];
}

function nameOf(entry: string): string {
  if (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(entry) && !/^[\d.]+$/.test(entry)) return entry;
  throw new RequestError(
    'OUTBOUND_INVALID',
    `"${entry}" is neither \`loopback\` nor an address, a network such as 10.1.0.0/16 or the name of a host.`,
  );
}
