import type { Event, ForkHistory, MemoryItem, MemoryWrite, Plan, RunId } from '@millrace/core';
import { RequestError, storeOfRun, withoutTenant } from '@millrace/core';
import { isAfter } from '../journal/read-journal.ts';
import type { Store } from '../ports/store/port.ts';
import type { Ancestor } from './find-ancestor.ts';
import { placeBefore } from './fork-point.ts';

/** Start of a run with the history of another one. */
interface ForkedRun {
  /** Maximum number of characters of the memories, which the first commit contains. */
  readonly most: number;
  readonly run: RunId;
  readonly ancestor: Ancestor;
  readonly history: ForkHistory;
  /** Id of the entry with which the other run continues after the history. */
  readonly end: string;
}

const page = 500;

/**
 * Copies the run-scoped stores as of the end of the history, as far as they still contain it: a replaced text is lost. The journal of a
 * long run is read for that only if its workflow has such stores. Throws RequestError if they are too large.
 */
export async function inheritedMemory(
  store: Store,
  { run, ancestor, history, end, most }: ForkedRun,
): Promise<readonly MemoryWrite[]> {
  const shared = new Map<string, number>();
  const since = new Map<string, number>();
  if (history.type === 'events') for (const event of history.events) countWrites(shared, event);
  if (history.type === 'events' ? shared.size === 0 : !hasRunStores(ancestor.plan)) return [];
  const after = history.type === 'parts' ? '0' : placeBefore(end);
  for await (const { id, event } of ancestor.journal(after)) countWrites(isAfter(end, id) ? shared : since, event);
  const inherited: MemoryWrite[] = [];
  let left = most;
  const take = ({ text, embedding, metadata }: MemoryItem): void => {
    left -=
      text.length + (embedding?.vector.length ?? 0) + (metadata === undefined ? 0 : JSON.stringify(metadata).length);
    if (left >= 0) return;
    throw new RequestError(
      'COMMIT_TOO_LARGE',
      `The memories that end with run ${withoutTenant(ancestor.run)} have more than ${most.toLocaleString('en')} characters, too many for a fork, which begins with a copy of them. Fork the run at an activation before they were written, limit them by \`max_items\`, or raise MILLRACE_MAX_COMMIT_MB.`,
    );
  };
  for (const within of shared.keys()) {
    const items = await itemsOf(store, storeOfRun(ancestor.run, within), take);
    const kept = items.slice(0, Math.max(0, items.length - (since.get(within) ?? 0)));
    for (const { id: _there, ...memory } of kept)
      inherited.push({ store: storeOfRun(run, within), limit: kept.length, memory });
  }
  return inherited;
}

const hasRunStores = ({ graphs }: Pick<Plan, 'graphs'>): boolean =>
  [...graphs.values()].some(({ memory }) => [...memory.values()].some(({ lifetime }) => lifetime !== undefined));

/** Adds what an event has written to each store. */
function countWrites(counts: Map<string, number>, event: Event): void {
  if (event.type !== 'activation.completed') return;
  for (const [within, count] of Object.entries(event.remembered ?? {}))
    counts.set(within, (counts.get(within) ?? 0) + count);
}

async function itemsOf(
  store: Store,
  identity: string,
  take: (item: MemoryItem) => void,
): Promise<readonly MemoryItem[]> {
  const items: MemoryItem[] = [];
  for (;;) {
    const found = await store.memory(identity, items.at(-1)?.id ?? '0', page);
    for (const item of found.items) {
      take(item);
      items.push(item);
    }
    if (found.items.length < page) return items;
  }
}
