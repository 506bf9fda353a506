import type { JournalEntry, RunId } from '@millrace/core';
import { omitUndefined } from '@millrace/core';
import { indexAfter } from '../journal/archive/segment.ts';
import { isAfter, readJournal } from '../journal/read-journal.ts';
import type { Store } from '../ports/store/port.ts';

/** Page of the events of a run. */
export interface EventQuery {
  readonly order: 'oldest' | 'newest';
  /** Types of events, or their beginnings, such as `activation.*`; absent: all. */
  readonly types?: readonly string[];
  /** Id of the event after which the page begins, in its order; `0` for the oldest, an id behind the last for the newest. */
  readonly after: string;
  readonly limit: number;
}

/** Entries in the order of a query. */
export interface FoundEntries {
  readonly entries: readonly JournalEntry[];
  /** The `after` of the next page; absent when no entries follow at present. */
  readonly next?: string;
}

/** Maximum number of events that one page reads to find those that are wanted. */
const maxLooked = 5000;
/** Number of entries that are read at a time from the end of a journal, and of the commits that are expected to have them. */
const pageSize = 500;
const firstCommits = 150;

/** A journal that is searched. */
export interface SearchedJournal {
  readonly store: Pick<Store, 'journal'>;
  readonly run: RunId;
}

/** Returns a page of the entries of a journal. A page of few entries is not always the last. */
export async function searchEvents(journal: SearchedJournal, query: EventQuery): Promise<FoundEntries> {
  const isWanted = filterOf(query.types);
  const entries: JournalEntry[] = [];
  let looked = 0;
  let last: string | undefined;
  for await (const entry of query.order === 'oldest' ? oldestFirst(journal, query) : newestFirst(journal, query)) {
    if (entries.length === query.limit || looked === maxLooked) return { entries, ...omitUndefined({ next: last }) };
    looked += 1;
    last = entry.id;
    if (isWanted(entry)) entries.push(entry);
  }
  return { entries };
}

const oldestFirst = ({ store, run }: SearchedJournal, { after }: EventQuery): AsyncIterable<JournalEntry> =>
  readJournal(store, run, after);

/** Yields entries backwards: commits are numbered one after the other. */
async function* newestFirst({ store, run }: SearchedJournal, { after }: EventQuery): AsyncGenerator<JournalEntry> {
  let to = Number.parseInt(after, 10);
  for (let commits = firstCommits; to > 0; ) {
    const from = Math.max(0, to - commits);
    const entries = await entriesBetween({ store, run }, from, to);
    let before = indexAfter(entries, after);
    if (entries[before - 1]?.id === after) before -= 1;
    yield* entries.slice(0, before).reverse();
    // Commits have from one event to hundreds.
    commits = Math.max(1, Math.floor((0.9 * pageSize * (to - from)) / Math.max(1, entries.length)));
    to = from;
  }
}

/** Returns the entries after a version, up to another one. */
async function entriesBetween({ store, run }: SearchedJournal, from: number, to: number): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for (let after = endOf(from); ; ) {
    const page = await store.journal(run, after, pageSize);
    for (const entry of page.slice(0, indexAfter(page, endOf(to)))) entries.push(entry);
    const last = page.at(-1);
    if (last === undefined || !isAfter(endOf(to), last.id)) return entries;
    after = last.id;
  }
}

const endOf = (version: number): string => (version === 0 ? '0' : `${version}-${Number.MAX_SAFE_INTEGER}`);

function filterOf(types: readonly string[] | undefined): (entry: JournalEntry) => boolean {
  if (types === undefined) return () => true;
  return ({ event: { type } }) =>
    types.some((wanted) => (wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted));
}
