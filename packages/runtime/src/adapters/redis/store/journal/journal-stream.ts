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
  readonly whole: boolean;
  /** Decodes them: a reader of the archived part needs none. */
  readonly entries: () => readonly JournalEntry[];
}

/** Number of events of a commit that is assumed before any was read. */
const usualEvents = 3;

/**
 * Reads entries of a journal after the id `after`, at most `limit`. Commits have from one event to hundreds, so they are read
 * in portions: about as much is read as is returned.
 */
export async function readAfter(
  connection: Redis,
  stream: string,
  { after, limit }: { after: string; limit: number },
): Promise<Window> {
  // The commit of `after` is read again, as there may be more events in it.
  const version = after.split('-')[0] ?? '0';
  const count = Math.ceil(limit / usualEvents) + 1;
  const commits = await connection.xrange(stream, `${version}-0`, '+', 'COUNT', count);
  const [first] = commits;
  const entriesAfter = (stored: StreamEntry, at: number) =>
    at === 0 ? entriesOf(stored).filter(({ id }) => isAfter(id, after)) : entriesOf(stored);
  const decoded = () => commits.flatMap(entriesAfter);
  if (first !== undefined && versionOf(first) !== (version === '0' ? '1' : version))
    return { whole: false, entries: () => decoded().slice(0, limit) };
  const entries = decoded();
  if (commits.length === count) await readOn(connection, stream, { entries, read: count, limit });
  return { whole: true, entries: () => entries.slice(0, limit) };
}

interface Reading {
  readonly entries: JournalEntry[];
  /** Number of commits that they are of. */
  readonly read: number;
  readonly limit: number;
}

/** Adds the entries of further commits until there are so many, or no more at present. */
async function readOn(connection: Redis, stream: string, { entries, read, limit }: Reading): Promise<void> {
  for (let commits = read; entries.length < limit; ) {
    const next = Number.parseInt(entries.at(-1)?.id ?? '0', 10) + 1;
    const count = Math.ceil(((limit - entries.length) * commits) / entries.length) + 1;
    const more = await connection.xrange(stream, `${next}-0`, '+', 'COUNT', count);
    const [first] = more;
    // Others may have archived the next commits meanwhile: then a further call reads them.
    if (first === undefined || Number(versionOf(first)) !== next) return;
    for (const commit of more) for (const entry of entriesOf(commit)) entries.push(entry);
    if (more.length < count) return;
    commits += more.length;
  }
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
