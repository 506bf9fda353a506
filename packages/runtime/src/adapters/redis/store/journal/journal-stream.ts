import type { JournalEntry } from '@millrace/core';
import type { Redis } from 'ioredis';
import { inSlices } from '../../../../concurrency/in-slices.ts';
import { sizeOf } from '../../../../journal/archive/segment.ts';
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

/** A commit as read from its stream, whose entries have the fields that commit.lua writes. */
export const commitOf = ([, [, nonce = '', , text = '']]: StreamEntry): JournalCommit => unpackCommit(nonce, text);

/** Entries of a stream after an id; `whole` means that none in between has been removed. */
export interface Window {
  readonly whole: boolean;
  /** Decodes them: a reader of the archived part needs none. */
  readonly entries: () => Promise<readonly JournalEntry[]>;
}

/** Number of events of a commit that is assumed before any was read. */
const usualEvents = 3;
/** Number of commits that are read before their length is known. */
const firstCommits = 64;
const maxCommits = 1000;
/** Approximate number of characters that are read at once: Redis serves nobody else meanwhile. */
const portionCharacters = 1024 * 1024;

/**
 * Commits of a stream from a version on, read in portions: commits have from one event to hundreds, and an event has up to
 * thousands of units.
 */
class CommitReader {
  readonly #connection: Redis;
  readonly #stream: string;
  #next: number;
  #commits = 0;
  #characters = 0;
  #isOver = false;

  constructor(connection: Redis, stream: string, from: number) {
    this.#connection = connection;
    this.#stream = stream;
    this.#next = from;
  }

  /**
   * Reads the next commits, about as many as are wanted; none at the end, or if others have removed the next one from the stream.
   * The first portion begins with whatever is there.
   */
  async read(wanted: number): Promise<readonly StreamEntry[]> {
    if (this.#isOver) return [];
    const count = Math.min(wanted, this.#most());
    const commits = await this.#connection.xrange(this.#stream, `${this.#next}-0`, '+', 'COUNT', count);
    this.#isOver = commits.length < count;
    const [first] = commits;
    const last = commits.at(-1);
    if (first === undefined || last === undefined) return [];
    if (this.#commits > 0 && Number(versionOf(first)) !== this.#next) return [];
    this.#next = Number(versionOf(last)) + 1;
    this.#commits += commits.length;
    for (const [, fields] of commits) this.#characters += fields[3]?.length ?? 0;
    return commits;
  }

  #most(): number {
    if (this.#commits === 0) return firstCommits;
    const fitting = Math.floor((portionCharacters * this.#commits) / this.#characters);
    return Math.max(1, Math.min(fitting, maxCommits));
  }
}

/** Reads entries of a journal after the id `after`, at most `limit`. */
export async function readAfter(
  connection: Redis,
  stream: string,
  { after, limit }: { after: string; limit: number },
): Promise<Window> {
  // The commit of `after` is read again, as there may be more events in it.
  const version = Number(after.split('-')[0] ?? '0');
  const reader = new CommitReader(connection, stream, version);
  const present = await reader.read(Math.ceil(limit / usualEvents) + 1);
  const [first] = present;
  const whole = first === undefined || versionOf(first) === String(version === 0 ? 1 : version);
  return { whole, entries: () => readOn(reader, present, { after, limit }) };
}

/** Returns the entries after an id of these commits, and of further ones until there are so many, or no more at present. */
async function readOn(
  reader: CommitReader,
  present: readonly StreamEntry[],
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = [];
  let read = 0;
  for (let commits = present; commits.length > 0; ) {
    await inSlices(commits, (commit) => {
      if (entries.length >= limit) return;
      for (const entry of entriesOf(commit)) if (commit !== present[0] || isAfter(entry.id, after)) entries.push(entry);
    });
    if (entries.length >= limit) break;
    read += commits.length;
    commits = await reader.read(Math.ceil(((limit - entries.length) * read) / Math.max(entries.length, 1)) + 1);
  }
  return entries.slice(0, limit);
}

/**
 * Reads the commits after a version, whole, until they have the wanted size; never the newest commit of the stream. Returns
 * none if the first of them no longer exists.
 */
export async function readOldest(
  connection: Redis,
  stream: string,
  { version, size }: { readonly version: number; readonly size: number },
): Promise<readonly JournalEntry[]> {
  const reader = new CommitReader(connection, stream, version + 1);
  const entries: JournalEntry[] = [];
  let found = 0;
  /** The last commit that was read, which may be the newest. */
  let last: StreamEntry | undefined;
  for (;;) {
    const commits = await reader.read(maxCommits);
    const [first] = commits;
    if (first === undefined || (last === undefined && Number(versionOf(first)) !== version + 1)) return entries;
    await inSlices(commits, (commit) => {
      if (last !== undefined && found < size)
        for (const entry of entriesOf(last)) {
          entries.push(entry);
          found += sizeOf(entry.event);
        }
      last = commit;
    });
    if (found >= size) return entries;
  }
}
