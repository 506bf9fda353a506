import { setImmediate as turn } from 'node:timers/promises';

/** Time after which everything else has its turn, in milliseconds. */
const sliceMs = 5;

/** Handles many entries in their order, and lets everything else have its turn in between. */
export async function inSlices<Entry>(entries: Iterable<Entry>, handle: (entry: Entry) => void): Promise<void> {
  let began = performance.now();
  for (const entry of entries) {
    if (performance.now() - began > sliceMs) {
      await nextTurn();
      began = performance.now();
    }
    handle(entry);
  }
}

/** Number of entries of a portion. */
const portionSize = 500;

/** Handles a long list in portions, one after the other, and lets everything else have its turn in between. */
export async function inPortions<Entry>(
  entries: readonly Entry[],
  handle: (portion: readonly Entry[]) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < entries.length; from += portionSize) {
    if (from > 0) await nextTurn();
    await handle(entries.slice(from, from + portionSize));
  }
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Waits for a turn of the event loop of its own: of all who wait for one in this process, one goes on in each turn. So a request
 * that is answered at once waits for one slice of such work, however many requests do some.
 */
export function nextTurn(): Promise<unknown> {
  last = last.then(ownTurn);
  return last;
}

/** An immediate that is asked for while input is handled belongs to the same turn; only the one after it has a turn of its own. */
async function ownTurn(): Promise<void> {
  await turn();
  await turn();
}
