/**
 * Proxies whose `X-Forwarded-*` headers are trusted: their addresses and networks, or their number. A number is safe
 * only if every request passes that many proxies, because a client that connects directly could forge the headers.
 */
export type TrustedProxies = readonly string[] | number;

/** Returns the setting for Fastify, which accepts no number for this reason. */
export const trustProxyOption = (proxies: TrustedProxies): string[] | ((address: string, hop: number) => boolean) =>
  typeof proxies === 'number' ? (_address, hop) => hop < proxies : [...proxies];
