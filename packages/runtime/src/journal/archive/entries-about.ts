import type { ActivationId, ArchivedSegment, JournalEntry } from '@millrace/core';
import { nextTurn } from '../../concurrency/in-slices.ts';
import { isAfter, journalPage } from '../read-journal.ts';
import type { JournalSearch } from '../seek-journal.ts';
import { endOf } from './segment.ts';

/**
 * Yields the present entries of a journal after an entry (`'0'`: the start), without those archived parts that have no event of the
 * wanted activations, which became ready before them. `wanted` is asked before each part; undefined: everything is wanted.
 */
export async function* entriesAbout(
  { store, run, now }: JournalSearch,
  after: string,
  wanted: () => ReadonlySet<ActivationId> | undefined,
): AsyncGenerator<JournalEntry> {
  let position = after;
  for (;;) {
    const page = await store.journal(
      run,
      behindOtherParts(now?.state.list('archive/journal') ?? [], position, wanted()),
      journalPage,
    );
    const last = page.at(-1);
    if (last === undefined) return;
    await nextTurn();
    yield* page;
    // A page ends where an archived part does; a commit is never in two parts.
    position = page.length < journalPage ? endOf(Number.parseInt(last.id, 10)) : last.id;
  }
}

/** Returns the position behind the parts from a position on that have no event of the wanted activations. */
function behindOtherParts(
  parts: readonly ArchivedSegment[],
  from: string,
  wanted: ReadonlySet<ActivationId> | undefined,
): string {
  let position = from;
  for (const [at, { to, earlier }] of parts.entries()) {
    if (!isAfter(endOf(to), position)) continue;
    const isBegun = isAfter(position, endOf(parts[at - 1]?.to ?? 0));
    if (isBegun || wanted === undefined || earlier === undefined || earlier.some((id) => wanted.has(id))) break;
    position = endOf(to);
  }
  return position;
}
