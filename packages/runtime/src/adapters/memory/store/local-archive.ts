import type { JournalEntry, RunId } from '@millrace/core';
import { endOf, indexAfter, sizeOf } from '../../../journal/archive/segment.ts';
import type { Archive } from '../../../ports/store/port.ts';

/**
 * Creates the archive of the journals of this process. Their parts are written for the checkpoints and projections in them, so
 * that nobody who looks at the past folds a journal from its beginning; the journals stay in memory, where they are read.
 */
export const createLocalArchive = (journalOf: (run: RunId) => readonly JournalEntry[]): Archive => ({
  async oldest(run, { version, size }) {
    const journal = journalOf(run);
    const newest = versionOf(journal.at(-1));
    const first = indexAfter(journal, endOf(version));
    let end = first;
    let sum = 0;
    while (end < journal.length && versionOf(journal[end]) !== newest) {
      const isWhole = versionOf(journal[end]) !== versionOf(journal[end - 1]);
      if (isWhole && sum >= size) break;
      sum += sizeOfEntry(journal[end]);
      end += 1;
    }
    return journal.slice(first, end);
  },
  trim: async () => undefined,
  sweep: async () => undefined,
});

const versionOf = (entry: JournalEntry | undefined): number => Number.parseInt(entry?.id ?? '0', 10);

const sizeOfEntry = (entry: JournalEntry | undefined): number => (entry === undefined ? 0 : sizeOf(entry.event));
