import { BlockList, isIP } from 'node:net';

/** Addresses of IPv6, with IPv4 addresses in them. */
const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Returns whether an address, or the name `localhost`, is one that only this machine can reach. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host === 'localhost';
  // Servers ask several times in each request; a list would make an object of the address.
  return family === 4 ? host.startsWith('127.') : loopback.check(host, 'ipv6');
}

/**
 * Returns whether a `Host` header names this machine. A foreign name that resolves to a loopback address does not: with
 * such a name, DNS rebinding lets a web page reach a local server.
 */
export function isLoopbackHost(host: string): boolean {
  const url = `http://${host}`;
  return URL.canParse(url) && isLoopback(new URL(url).hostname.replace(/^\[(.*)\]$/, '$1'));
}
