import type { Decision, Event, Origin, StateView } from '@millrace/core';
import { nextVersion } from './next-version.ts';
import type { Commit } from './port.ts';

/** Returns the events of a decision for the outbox, by their ids in the journal. */
export function outboxEntries(
  { state, version }: { readonly state: Pick<StateView, 'get'>; readonly version: number },
  { events, writes }: Decision,
): Commit['outboxEntries'] {
  const origin = state.get('origin') ?? originIn(writes);
  if (!hasObserver(origin)) return undefined;
  const entries = outboxEntriesIn(nextVersion(version, events), events);
  return entries.length === 0 ? undefined : entries;
}

/** Returns the ids of the events of a commit for the outbox, if the events of the run are relayed. */
export function outboxEntriesIn(version: number, events: readonly Event[]): readonly string[] {
  const past = events.length - ownEvents(events).length;
  return events.flatMap((event, at) => (at >= past && isNews(event, events) ? [`${version}-${at}`] : []));
}

/**
 * Returns the events of a commit that have happened in this run: the initial events of a fork have happened elsewhere, and
 * may contain that the original run was a fork itself.
 */
export function ownEvents(events: readonly Event[]): readonly Event[] {
  const past = events.findLastIndex(({ type }) => type === 'run.forked') + 1;
  return past === 0 ? events : events.slice(past);
}

/** Returns whether the outbox needs an event: the end of a run, or a question that the same commit does not answer. */
function isNews(event: Event, events: readonly Event[]): boolean {
  if (event.type !== 'activation.suspended') return event.type === 'run.finished' || event.type === 'tool.asked';
  // Each call that people are to approve is a question.
  if (event.wait.kind === 'event' || event.wait.kind === 'approval') return false;
  return !events.some((other) => other.type === 'activation.answered' && other.activation === event.activation);
}

/** Returns whether the events of a run with this origin are relayed. */
export const hasObserver = (origin: Origin | undefined): boolean =>
  origin !== undefined && (origin.told === true || origin.webhook !== undefined || origin.batch !== undefined);

function originIn(writes: Decision['writes']): Origin | undefined {
  const write = writes.find(({ key }) => key === 'origin');
  return write?.type === 'set' ? (write.value as Origin) : undefined; // the record under this key
}
