import type { JournalEntry } from '@millrace/core';
import type { Redis } from 'ioredis';
import { isAfter } from '../../../../journal/read-journal.ts';
import type { JournalCommit } from '../commit/journal-commit.ts';
import { unpackCommit } from '../commit/journal-commit.ts';
import type { StreamEntry } from '../commit/run-commit.ts';

/** The journal entries of a commit as read from its stream. */
export const entriesOf = (stored: StreamEntry): JournalEntry[] =>
  entriesIn({ version: versionOf(stored), ...commitOf(stored) });

/** The journal entries of a commit. */
export const entriesIn = ({ version, at, events }: VersionedCommit): JournalEntry[] =>
  events.map((event, n) => ({ id: `${version}-${n}`, at, event }));

interface VersionedCommit extends Pick<JournalCommit, 'at' | 'events'> {
  readonly version: number | string;
}

/** The version that a commit made. */
export const versionOf = ([id]: StreamEntry): string => id.slice(0, id.indexOf('-'));

/** A commit as read from its stream. */
// An entry has one field.
export const commitOf = ([, fields]: StreamEntry): JournalCommit => unpackCommit(fields[1] ?? '');

/** Entries of a stream after an id; `whole` means that none in between has been removed. */
export interface Window {
  readonly entries: readonly JournalEntry[];
  readonly whole: boolean;
}

/** Entries of a journal after the id `after`, at most `limit`. */
export async function readAfter(
  connection: Redis,
  stream: string,
  { after, limit }: { after: string; limit: number },
): Promise<Window> {
  // The commit of `after` is read again, as there may be more events in it.
  const version = after.split('-')[0] ?? '0';
  const from = `${version}-0`;
  const commits = await connection.xrange(stream, from, '+', 'COUNT', limit + 1);
  const [first] = commits;
  const entriesAfter = (stored: StreamEntry, at: number) =>
    at === 0 ? entriesOf(stored).filter(({ id }) => isAfter(id, after)) : entriesOf(stored);
  return {
    entries: commits.flatMap(entriesAfter).slice(0, limit),
    whole: first === undefined || versionOf(first) === (version === '0' ? '1' : version),
  };
}

const commitsAtOnce = 500;

/**
 * Reads the commits after a version, whole, until so many events are found; never the newest commit of the stream. Returns
 * none if the first of them no longer exists.
 */
export async function readOldest(
  connection: Redis,
  stream: string,
  { version, events }: { readonly version: number; readonly events: number },
): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for (let next = version + 1; ; next += commitsAtOnce - 1) {
    const commits = await connection.xrange(stream, `${next}-0`, '+', 'COUNT', commitsAtOnce);
    const [first] = commits;
    if (first === undefined || Number(versionOf(first)) !== next) return entries;
    // The last one may be the newest; otherwise it is read again with those that follow it.
    for (const commit of commits.slice(0, -1)) {
      for (const entry of entriesOf(commit)) entries.push(entry);
      if (entries.length >= events) return entries;
    }
    if (commits.length < commitsAtOnce) return entries;
  }
}
