import type { Redis } from 'ioredis';
import { portions } from './portions.ts';

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
