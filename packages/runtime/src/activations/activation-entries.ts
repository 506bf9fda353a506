import type { ActivationId, JournalEntry } from '@millrace/core';
import { entriesAbout } from '../journal/archive/entries-about.ts';
import type { JournalSearch } from '../journal/seek-journal.ts';
import { placeOfReady } from '../journal/seek-journal.ts';

/**
 * Yields the entries of an activation, oldest first, up to the one that settles it. Activations become ready in the order of
 * their numbers, so that the journal is read from where this one became ready.
 */
export async function* activationEntries(
  search: JournalSearch,
  activation: ActivationId,
): AsyncGenerator<JournalEntry> {
  let isKnown = false;
  const itself = new Set([activation]);
  const place = await placeOfReady(search, activation);
  for await (const entry of entriesAbout(search, place, () => (isKnown ? itself : undefined))) {
    const { event } = entry;
    if ('activation' in event && event.activation === activation) {
      isKnown = true;
      yield entry;
      if (isEnd(event.type)) return;
    } else if (!isKnown && event.type === 'activation.ready' && numberOf(event.activation) > numberOf(activation))
      return;
  }
}

const numberOf = (id: ActivationId): number => Number(id.slice(1));

const isEnd = (type: string): boolean =>
  type === 'activation.completed' || type === 'activation.opened' || type === 'activation.dropped';
