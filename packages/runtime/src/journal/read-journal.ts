import type { JournalEntry, RunId } from '@millrace/core';
import { nextTurn } from '../concurrency/in-slices.ts';
import type { Store } from '../ports/store/port.ts';

/** Number of entries that are read at a time, and handled in one turn of the event loop. */
export const journalPage = 500;

/** Yields the present entries of a journal after an entry (`'0'`: the start), read page by page, each in a turn of its own. */
export async function* readJournal(
  store: Pick<Store, 'journal'>,
  run: RunId,
  after: string,
): AsyncGenerator<JournalEntry> {
  let entries = await store.journal(run, after, journalPage);
  while (entries.length > 0) {
    await nextTurn();
    yield* entries;
    entries = await store.journal(run, entries.at(-1)?.id ?? after, journalPage);
  }
}

/**
 * Returns whether a journal id `<version>-<n>` comes after another one, whose `-<n>` may be missing (then it means 0).
 */
export function isAfter(id: string, other: string): boolean {
  const [version, n] = parts(id);
  const [otherVersion, otherN] = parts(other);
  return version > otherVersion || (version === otherVersion && n > otherN);
}

function parts(id: string): readonly [number, number] {
  const [version, n = '0'] = id.split('-');
  return [Number(version), Number(n)];
}
