import { isIP } from 'node:net';

/** Addresses and networks of proxies, or how many there are. */
export type TrustedProxies = readonly string[] | number;

/** Reads a count of proxies, or a list of addresses and networks; undefined when the text is neither. Empty: none. */
export function trustedProxiesIn(text: string): TrustedProxies | undefined {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const [first = ''] = entries;
  if (entries.length === 1 && /^\d{1,2}$/.test(first)) return Number(first);
  return entries.every(isNetwork) ? entries : undefined;
}

function isNetwork(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32));
}
