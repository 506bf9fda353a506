import { readFileSync } from 'node:fs';
import { Prices } from '@millrace/core';
import { parse } from 'yaml';

let cachedPrices: Prices | undefined;

/** The prices that come with Millrace; see prices.yaml for where they are from. */
export function shippedPrices(): Prices {
  // The same path from src and from dist: the compiler leaves files that are not its own where they are.
  cachedPrices ??= Prices.parse(parse(readFileSync(new URL('../../src/prices/prices.yaml', import.meta.url), 'utf8')));
  return cachedPrices;
}
