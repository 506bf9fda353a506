import type { Event, JournalEntry } from '../engine/records/event.ts';
import type { ActivationId } from '../model/ids.ts';

/** What two runs have in common when one is forked off the other. */
export interface ForkHistory {
  readonly events: readonly Event[];
  /** When the last of them happened, in milliseconds since 1970. */
  readonly until: number;
}

/** All that happened in a run before an activation was settled; all of it when it has not been. */
export function forkHistoryOf(journal: readonly JournalEntry[], activation: ActivationId): ForkHistory {
  const shared = journal.slice(0, settlementOf(journal, activation));
  return {
    // Where the other run keeps its journal is no part of this one.
    events: shared.flatMap(({ event }) => (event.type === 'journal.archived' ? [] : [event])),
    until: shared.at(-1)?.at ?? 0,
  };
}

/** The index of the first event of the commit that settled it for good. */
function settlementOf(journal: readonly JournalEntry[], activation: ActivationId): number {
  const done = journal.findLastIndex(({ event }) =>
    isOf(event, activation, ['activation.completed', 'activation.opened']),
  );
  const at = done < 0 ? journal.findLastIndex(({ event }) => isOf(event, activation, ['activation.failed'])) : done;
  if (at < 0) return journal.length;
  const before = journal[at - 1];
  // What it changed outside of steps is told just before.
  return before?.event.type === 'files.changed' &&
    before.event.activation === activation &&
    before.event.step === undefined
    ? at - 1
    : at;
}

const isOf = (event: Event, activation: ActivationId, types: readonly Event['type'][]): boolean =>
  types.includes(event.type) && 'activation' in event && event.activation === activation;
