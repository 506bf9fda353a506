import type { JournalEntry, JournalEvent, EventNames as Names, RunId } from '@millrace/core';
import type { OpenRun } from '../commit/cached-run.ts';
import type { Store } from '../ports/store/port.ts';
import { EventNames } from './event-names.ts';
import type { MessageSource } from './event-texts.ts';
import { textsOf } from './event-texts.ts';
import { plainEntry } from './plain-entry.ts';
import { textSourceOf } from './text-source.ts';

/*
 * The stored journal refers to nodes, activations and messages by ids. Readers get names and the beginnings of texts
 * beside them. That costs as much as what is read, not as the run: one request for the texts, and a search in the journal
 * for activations that became ready before the events that are read and have settled since.
 */

/** Stores that the events of runs are read from. */
export interface EventSource extends MessageSource {
  readonly store: Pick<Store, 'journal' | 'heads'>;
}

/** An entry of a journal as the tenant of its run reads it. */
export type PublishedEntry = Omit<JournalEntry, 'event'> & { readonly event: JournalEvent };

/** Reads the entries of a journal with names and texts. Entries must be given in their order. */
export type EntryReader = (entries: readonly JournalEntry[]) => Promise<readonly PublishedEntry[]>;

/** Creates the reader of entries of one run, of which a state at any time after their beginning is known. */
export function createEntryReader(source: EventSource, run: RunId, now: OpenRun): EntryReader {
  const names = new EventNames({ store: source.store, run, now });
  return async (entries) => {
    const texts = await textsOf(source, run, entries);
    const read: PublishedEntry[] = [];
    for (const [at, entry] of entries.entries()) read.push(await withNames(names, entry, texts[at]));
    return read;
  };
}

async function withNames(names: EventNames, entry: JournalEntry, text: string | undefined): Promise<PublishedEntry> {
  const place = await names.of(entry.event);
  const shown = text === undefined || isHidden(names, entry, place) ? {} : { text };
  const plain = plainEntry(entry);
  // The names are those of this very event.
  return { ...plain, event: { ...plain.event, ...place, ...shown } as JournalEvent };
}

/** Returns whether an event says what the author does not want shown to people who follow the run. */
function isHidden({ discreet }: EventNames, { event }: JournalEntry, place: Names): boolean {
  const found = textSourceOf(event);
  if (found === undefined || 'text' in found) return false;
  return ('nodeId' in place && discreet.has(place.nodeId ?? '')) || ('source' in found && discreet.has(found.source));
}
