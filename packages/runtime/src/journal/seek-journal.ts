import type { ActivationId, Event, JournalEntry, RunId, StateView } from '@millrace/core';
import type { Store } from '../ports/store/port.ts';

/** Dependencies of a search in a journal. */
export interface JournalSearch {
  readonly store: Pick<Store, 'journal'>;
  readonly run: RunId;
  /** The run at any time: its state knows which activations are in which archived part. */
  readonly now?: { readonly state: Pick<StateView, 'list'> };
}

/** Maximum number of versions that are read instead of halved further. */
const maxLinearVersions = 1000;
const sampleSize = 100;
/** Maximum number of events that are read at one version until one tells whether the sought event comes later. */
const maxSampled = 1000;

/** Versions between which an event is: after `low`, and not after `high` where that is known. */
interface Bounds {
  readonly low: number;
  readonly high?: number;
}

/**
 * Finds a position shortly before the sought event: a binary search over versions that reads events only where needed.
 * `isPassed` returns whether the sought event comes later than an event; undefined where the event does not tell. The
 * sought event is behind the position, though not always shortly where too few events tell.
 */
export async function seekJournal(
  search: JournalSearch,
  isPassed: (event: Event) => boolean | undefined,
  bounds: Bounds = { low: 0 },
): Promise<string> {
  let { low } = bounds;
  let high = bounds.high ?? low + maxLinearVersions;
  if (bounds.high === undefined)
    for (let ahead = maxLinearVersions; await isLater(search, high, isPassed); ahead *= 2) {
      low = high;
      high += ahead;
    }
  while (high - low > maxLinearVersions) {
    const middle = Math.floor((low + high) / 2);
    if (await isLater(search, middle, isPassed)) low = middle;
    else high = middle;
  }
  return placeBehind(low);
}

/**
 * Finds a position shortly before the event with which an activation became ready: activations are numbered in that
 * order.
 */
export const placeOfReady = (search: JournalSearch, activation: ActivationId): Promise<string> =>
  seekJournal(
    search,
    (event) => (event.type === 'activation.ready' ? numberOf(event.activation) < numberOf(activation) : undefined),
    boundsOf(search, numberOf(activation)),
  );

/** Returns the versions of the archived part in which an activation became ready, or those after all archived parts. */
function boundsOf({ now }: JournalSearch, activation: number): Bounds {
  const parts = now?.state.list('archive/journal') ?? [];
  const at = parts.findIndex(({ activations }) => activations >= activation);
  if (at < 0) return { low: parts.at(-1)?.to ?? 0 };
  const high = parts[at]?.to;
  return { low: parts[at - 1]?.to ?? 0, ...(high === undefined ? {} : { high }) };
}

const numberOf = (id: ActivationId): number => Number(id.slice(1));

/** Returns the answer of the first event after a version that has one; false when none of those that are read has. */
async function isLater(
  { store, run }: JournalSearch,
  version: number,
  isPassed: (event: Event) => boolean | undefined,
): Promise<boolean> {
  let entries = await store.journal(run, placeBehind(version), sampleSize);
  for (let read = 0; entries.length > 0 && read < maxSampled; read += entries.length) {
    for (const { event } of entries) {
      const passed = isPassed(event);
      if (passed !== undefined) return passed;
    }
    entries = await store.journal(run, lastOf(entries), sampleSize);
  }
  return false;
}

/** Events of one version are numbered from 0, and no version has so many. */
const placeBehind = (version: number): string => (version === 0 ? '0' : `${version}-${Number.MAX_SAFE_INTEGER}`);

const lastOf = (entries: readonly JournalEntry[]): string => entries.at(-1)?.id ?? '0';
