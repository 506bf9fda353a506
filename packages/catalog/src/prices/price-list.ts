import { readFileSync } from 'node:fs';
import { Prices } from '@millrace/core';
import { parse } from 'yaml';

let cachedPrices: Prices | undefined;

/** Returns the prices that come with Millrace; prices.yaml names their sources. */
export function shippedPrices(): Prices {
  // The path is the same from src and from dist, because the compiler copies only its own files.
  cachedPrices ??= Prices.parse(parse(readFileSync(new URL('../../src/prices/prices.yaml', import.meta.url), 'utf8')));
  return cachedPrices;
}
