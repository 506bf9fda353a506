import type { Redis } from 'ioredis';
import type { Keys } from '../location/keys.ts';
import { createKeys } from '../location/keys.ts';

/**
 * Shard of an installation: the names of its keys, and a connection to the Redis that stores them. Everything in Redis
 * belongs to a shard: the store with its agenda and clock, queues, background jobs, limits, rates, blobs. An
 * installation has one shard.
 */
export interface Shard {
  /** Made by `connect`; its opener closes it. */
  readonly connection: Redis;
  readonly keys: Keys;
}

/** Returns the shard with this prefix, in this format, on the server of the connection. */
export const createShard = (connection: Redis, prefix?: string, format?: number): Shard => ({
  connection,
  keys: createKeys(prefix, format),
});
