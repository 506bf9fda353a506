import type { Memory, MemoryItem } from '@millrace/core';
import type { Redis } from 'ioredis';
import type { MemoryPage } from '../../../../ports/store/port.ts';
import type { Keys } from '../../location/keys.ts';

/** Memories of a store after an id, and the oldest one that it still holds, as of one moment. */
export async function readMemories(
  connection: Redis,
  stream: string,
  { after, limit }: { after: string; limit: number },
): Promise<MemoryPage> {
  const [first, items] = await Promise.all([
    connection.xrange(stream, '-', '+', 'COUNT', 1),
    connection.xrange(stream, `(${after}`, '+', 'COUNT', limit),
  ]);
  const oldest = first[0]?.[0];
  return { ...(oldest === undefined ? {} : { oldest }), items: items.map(itemOf) };
}

// An entry has one field, and what is in it was written by encodeCommit.
const itemOf = ([id, fields]: [string, string[]]): MemoryItem => ({ ...(JSON.parse(fields[1] ?? '') as Memory), id });

/** Time for which vectors are kept after their last use. */
const vectorSeconds = 30 * 24 * 3600;

/** Vectors by key; undefined where there is none. */
export async function readVectors(
  connection: Redis,
  { vector }: Keys,
  keys: readonly string[],
): Promise<(string | undefined)[]> {
  if (keys.length === 0) return [];
  const pipeline = connection.pipeline();
  for (const key of keys) pipeline.getex(vector(key), 'EX', vectorSeconds);
  const replies = (await pipeline.exec()) ?? [];
  return replies.map(([error, reply]) => {
    if (error) throw error;
    return typeof reply === 'string' ? reply : undefined;
  });
}

/** Stores vectors; an existing one stays the same, because its key names its source. */
export async function keepVectors(
  connection: Redis,
  { vector }: Keys,
  vectors: ReadonlyMap<string, string>,
): Promise<void> {
  const pipeline = connection.pipeline();
  for (const [key, value] of vectors) pipeline.set(vector(key), value, 'EX', vectorSeconds);
  for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
}
