import type { Event, JournalEntry, MemoryItem, MemoryWrite, RunId } from '@millrace/core';
import { storeOfRun } from '@millrace/core';
import type { Store } from '../ports/store/port.ts';

/** Start of a run with the history of another one. */
interface ForkedRun {
  readonly run: RunId;
  readonly of: RunId;
  readonly past: readonly Event[];
  /** Whole journal of the other run. */
  readonly journal: readonly JournalEntry[];
}

const page = 500;

/**
 * Copies the run-scoped stores as of the end of the history, as far as they still contain it: a replaced text is lost.
 */
export async function inheritedMemory(
  store: Store,
  { run, of, past, journal }: ForkedRun,
): Promise<readonly MemoryWrite[]> {
  const shared = countWrites(past);
  const all = countWrites(journal.map(({ event }) => event));
  const inherited: MemoryWrite[] = [];
  for (const [within, written] of shared) {
    const items = await itemsOf(store, storeOfRun(of, within));
    const since = (all.get(within) ?? written) - written;
    const kept = items.slice(0, Math.max(0, items.length - since));
    for (const { id: _there, ...memory } of kept)
      inherited.push({ store: storeOfRun(run, within), limit: kept.length, memory });
  }
  return inherited;
}

function countWrites(events: readonly Event[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const event of events) {
    if (event.type !== 'activation.completed') continue;
    for (const [within, count] of Object.entries(event.remembered ?? {}))
      counts.set(within, (counts.get(within) ?? 0) + count);
  }
  return counts;
}

async function itemsOf(store: Store, identity: string): Promise<readonly MemoryItem[]> {
  const items: MemoryItem[] = [];
  for (;;) {
    const found = await store.memory(identity, items.at(-1)?.id ?? '0', page);
    for (const item of found.items) items.push(item);
    if (found.items.length < page) return items;
  }
}
