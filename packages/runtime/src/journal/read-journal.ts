import type { JournalEntry, RunId } from '@millrace/core';
import type { Store } from '../ports/store/port.ts';

const page = 1000;

/** Yields the present entries of a journal after an entry (`'0'`: the start), read page by page. */
export async function* readJournal(
  store: Pick<Store, 'journal'>,
  run: RunId,
  after: string,
): AsyncGenerator<JournalEntry> {
  let entries = await store.journal(run, after, page);
  while (entries.length > 0) {
    yield* entries;
    entries = await store.journal(run, entries.at(-1)?.id ?? after, page);
  }
}
