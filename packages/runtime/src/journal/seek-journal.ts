import type { ActivationId, Event, JournalEntry, RunId } from '@millrace/core';
import type { Store } from '../store/port.ts';

/** Dependencies of a search in a journal. */
export interface JournalSearch {
  readonly store: Pick<Store, 'journal'>;
  readonly run: RunId;
}

/** Versions that are rather read than divided. */
const maxLinearVersions = 1000;
const sampleSize = 100;

/**
 * A place in a journal with what is sought behind it, and not far: it looks here and there, and reads what is in between
 * only where it is. `isPassed` says of an event whether what is sought comes later; undefined where it does not tell.
 */
export async function seekJournal(
  search: JournalSearch,
  isPassed: (event: Event) => boolean | undefined,
): Promise<string> {
  let low = 0;
  let high = maxLinearVersions;
  while (await isLater(search, high, isPassed)) {
    low = high;
    high *= 2;
  }
  while (high - low > maxLinearVersions) {
    const middle = Math.floor((low + high) / 2);
    if (await isLater(search, middle, isPassed)) low = middle;
    else high = middle;
  }
  return placeBehind(low);
}

/** A place with the event behind it, and not far, by which an activation has become ready: they are numbered in this order. */
export const placeOfReady = (search: JournalSearch, activation: ActivationId): Promise<string> =>
  seekJournal(search, (event) =>
    event.type === 'activation.ready' ? numberOf(event.activation) < numberOf(activation) : undefined,
  );

const numberOf = (id: ActivationId): number => Number(id.slice(1));

/** Whether the first event behind a version that tells says so; nothing behind it does not. */
async function isLater(
  { store, run }: JournalSearch,
  version: number,
  isPassed: (event: Event) => boolean | undefined,
): Promise<boolean> {
  let entries = await store.journal(run, placeBehind(version), sampleSize);
  while (entries.length > 0) {
    for (const { event } of entries) {
      const passed = isPassed(event);
      if (passed !== undefined) return passed;
    }
    entries = await store.journal(run, lastOf(entries), sampleSize);
  }
  return false;
}

/** Events of one version are numbered from 0, and none has as many as that. */
const placeBehind = (version: number): string => (version === 0 ? '0' : `${version}-${Number.MAX_SAFE_INTEGER}`);

const lastOf = (entries: readonly JournalEntry[]): string => entries.at(-1)?.id ?? '0';
