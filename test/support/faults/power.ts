import { stat, truncate } from 'node:fs/promises';
import type { RedisServer } from '../redis/redis.ts';

/** Ends Redis as a power loss does: what it wrote since `bytes` were on the disk is gone. */
export async function losePower({ kill, restart, appendOnlyFile }: RedisServer, bytes: number): Promise<void> {
  if (appendOnlyFile === undefined)
    throw new Error('A container does not show its append-only file: install redis-server.');
  await kill();
  await truncate(appendOnlyFile, bytes);
  await restart();
}

/** Returns the size of the append-only file in bytes. */
export const written = async ({ appendOnlyFile = '' }: RedisServer): Promise<number> =>
  (await stat(appendOnlyFile)).size;
