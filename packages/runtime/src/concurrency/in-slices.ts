import { setImmediate as turn } from 'node:timers/promises';

/** Maximum number of entries that are handled in one turn of the event loop: some milliseconds of work. */
const slice = 500;

/** Handles many entries in their order, and lets everything else have its turn in between. */
export async function inSlices<Entry>(entries: readonly Entry[], handle: (entry: Entry) => void): Promise<void> {
  for (let from = 0; from < entries.length; from += slice) {
    if (from > 0) await nextTurn();
    for (const entry of entries.slice(from, from + slice)) handle(entry);
  }
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Waits for a turn of the event loop of its own: of all who wait for one in this process, one goes on in each turn. So a request
 * that is answered at once waits for one slice of such work, however many requests do some.
 */
export function nextTurn(): Promise<unknown> {
  last = last.then(() => turn());
  return last;
}
