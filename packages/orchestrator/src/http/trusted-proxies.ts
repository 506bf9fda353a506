/**
 * Proxies whose `X-Forwarded-*` headers are believed: their addresses and networks, or how many there are. A count is
 * sound only where every request comes through so many proxies, as a client that connects directly could fake them.
 */
export type TrustedProxies = readonly string[] | number;

/** The setting as Fastify takes it; it takes no count, for the reason above. */
export const trustProxyOption = (proxies: TrustedProxies): string[] | ((address: string, hop: number) => boolean) =>
  typeof proxies === 'number' ? (_address, hop) => hop < proxies : [...proxies];
