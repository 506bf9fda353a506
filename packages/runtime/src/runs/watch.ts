import type { JournalEntry, RunId } from '@millrace/core';
import type { Store } from '../store/port.ts';

/** Yields a run's journal from after an entry on; ends after the last `run.finished`, or when the signal is aborted. */
export async function* watch(
  store: Store,
  run: RunId,
  { after, signal }: { readonly after: string; readonly signal: AbortSignal },
): AsyncGenerator<JournalEntry> {
  let last = after;
  while (!signal.aborted) {
    const entries = await store.follow(run, last, signal);
    for (const entry of entries) {
      yield entry;
      last = entry.id;
      if (entry.event.type === 'run.finished' && (await store.journal(run, last, 1)).length === 0) return;
    }
  }
}
