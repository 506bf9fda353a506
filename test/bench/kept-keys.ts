import type { RunId } from '@millrace/core';
import type { Redis } from 'ioredis';
import { prefix } from './workload/millrace.ts';

/** The keys of one run. */
export const keysOf = (connection: Redis, run: RunId): Promise<readonly string[]> =>
  keysLike(connection, `${prefix}:run:${run}:*`);

/** Removes all runs, which have ended, so that a later round finds the same Redis as the first. */
export async function forgetRuns(connection: Redis): Promise<void> {
  for (const kind of ['run', 'blob']) {
    const keys = await keysLike(connection, `${prefix}:${kind}:*`);
    for (let at = 0; at < keys.length; at += 1000) await connection.unlink(...keys.slice(at, at + 1000));
  }
}

async function keysLike(connection: Redis, pattern: string): Promise<readonly string[]> {
  const keys = new Set<string>();
  let cursor = '0';
  do {
    const [next, found] = await connection.scan(cursor, 'MATCH', pattern, 'COUNT', 1000);
    for (const key of found) keys.add(key);
    cursor = next;
  } while (cursor !== '0');
  return [...keys];
}
