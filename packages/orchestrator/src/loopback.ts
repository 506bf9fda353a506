import { BlockList, isIP } from 'node:net';
import { RequestError } from '@millrace/core';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Throws RequestError for a request that a web page from elsewhere had the browser of this machine make: by a name of
 * its own that leads here, or across origins.
 */
export function assertLocalRequest({ host, origin }: { host?: string | undefined; origin?: string | undefined }): void {
  const foreign = [host === undefined ? undefined : `http://${host}`, origin].find(
    (url) => url !== undefined && !isLoopback(hostnameOf(url)),
  );
  if (foreign === undefined) return;
  throw new RequestError('HOST_NOT_LOOPBACK', `The HTTP API is for this machine only, not for ${foreign}.`);
}

const hostnameOf = (url: string): string =>
  URL.canParse(url) ? new URL(url).hostname.replace(/^\[(.*)\]$/, '$1') : '';

/** Whether only this machine can reach a server that listens there. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host === 'localhost';
  return loopback.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
