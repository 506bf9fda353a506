import type { JournalEntry } from '@millrace/core';
import type { Redis } from 'ioredis';
import type { StoredEntry } from './encode-commit.ts';
import type { StreamEntry } from './run-commit.ts';

/** A journal entry as read from its stream. */
export function entryOf([id, fields]: StreamEntry): JournalEntry {
  const { at, event } = storedEntryOf(fields);
  return { id, at, event };
}

/** The nonce of the commit that an entry is the first one of. */
export const nonceOf = ([, fields]: StreamEntry): string | undefined => storedEntryOf(fields).nonce;

// Entries have one field, and what is in it was written by encodeCommit.
const storedEntryOf = (fields: readonly string[]): StoredEntry => JSON.parse(fields[1] ?? '') as StoredEntry;

/** Entries of a stream after the id `after`, at most `limit`. */
export async function readAfter(
  connection: Redis,
  stream: string,
  range: { after: string; limit: number },
): Promise<JournalEntry[]> {
  const entries = await connection.xrange(stream, `(${range.after}`, '+', 'COUNT', range.limit);
  return entries.map(entryOf);
}
