import type { Redis } from 'ioredis';

/**
 * Reads fields of a hash, in their order; null where there is none. Redis can serve other clients between two portions.
 */
export async function readFields(
  connection: Redis,
  hash: string,
  fields: readonly string[],
): Promise<readonly (string | null)[]> {
  const reads = [...portions(fields)].map((some) => connection.hmget(hash, ...some));
  return (await Promise.all(reads)).flat();
}

/** Maximum number of entries of a long list in one call. */
const maxSize = 1000;

/** Cuts a list into portions that a command can take as its arguments, or into smaller ones. */
export function* portions<Entry>(list: readonly Entry[], size = maxSize): Generator<readonly Entry[]> {
  for (let from = 0; from < list.length; from += size) yield list.slice(from, from + size);
}
