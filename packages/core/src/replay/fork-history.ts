import type { Event, JournalEntry } from '../engine/records/event.ts';
import type { ActivationId } from '../model/ids.ts';

/** The events that a fork shares with the original run. */
export interface ForkHistory {
  readonly events: readonly Event[];
  /** Time of the last event, in milliseconds since 1970. */
  readonly until: number;
}

/** Returns all events of a run before an activation was settled; all events if it was not. */
export function forkHistoryOf(journal: readonly JournalEntry[], activation: ActivationId): ForkHistory {
  const shared = journal.slice(0, settlementOf(journal, activation));
  const waits = shared.findLast(({ event }) => isOf(event, activation, ['activation.suspended']))?.event;
  const isEventWait = waits?.type === 'activation.suspended' && waits.wait.kind === 'event';
  // The activation waits again, and finds the event that it was given. The answer that its time is over has a body.
  const isGiven = (event: Event) =>
    isEventWait && isOf(event, activation, ['activation.answered']) && event.bodies === undefined;
  return {
    // The location of the original run's journal does not belong to the fork.
    events: shared.flatMap(({ event }) => (event.type === 'journal.archived' || isGiven(event) ? [] : [event])),
    until: shared.at(-1)?.at ?? 0,
  };
}

/** Returns the index of the first event of the commit that finally settled the activation. */
function settlementOf(journal: readonly JournalEntry[], activation: ActivationId): number {
  const done = journal.findLastIndex(({ event }) =>
    isOf(event, activation, ['activation.completed', 'activation.opened']),
  );
  const at = done < 0 ? journal.findLastIndex(({ event }) => isOf(event, activation, ['activation.failed'])) : done;
  if (at < 0) return journal.length;
  const before = journal[at - 1];
  // Its file changes outside of steps are the event before.
  return before?.event.type === 'files.changed' &&
    before.event.activation === activation &&
    before.event.step === undefined
    ? at - 1
    : at;
}

const isOf = (event: Event, activation: ActivationId, types: readonly Event['type'][]): boolean =>
  types.includes(event.type) && 'activation' in event && event.activation === activation;
