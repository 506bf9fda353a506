import type { Event, JournalEntry, RunId } from '@millrace/core';
import type { Store } from '../ports/store/port.ts';

/** Place in a journal from which it is watched. */
export interface WatchOptions {
  /** Id of the last entry that was seen; `'0'`: none. */
  readonly after: string;
  readonly signal: AbortSignal;
}

/** Yields a run's journal from after an entry on; ends after the last `run.finished`, or when the signal is aborted. */
export async function* watch(store: Store, run: RunId, options: WatchOptions): AsyncGenerator<JournalEntry> {
  for await (const entries of watchPages(store, run, options)) yield* entries;
}

/** Yields the same in pages, as they are read. */
export async function* watchPages(
  store: Pick<Store, 'follow' | 'journal'>,
  run: RunId,
  { after, signal }: WatchOptions,
): AsyncGenerator<readonly JournalEntry[]> {
  let last = after;
  let ended = false;
  while (!signal.aborted) {
    const entries = await store.follow(run, last, signal);
    yield entries;
    for (const { event } of entries) ended = hasEnded(event, ended);
    last = entries.at(-1)?.id ?? last;
    if (ended && (await store.journal(run, last, 1)).length === 0) return;
  }
}

/** Returns whether a run has ended with an event. A part of its journal may be archived after that. */
const hasEnded = ({ type }: Event, before: boolean): boolean =>
  type === 'journal.archived' ? before : type === 'run.finished';
