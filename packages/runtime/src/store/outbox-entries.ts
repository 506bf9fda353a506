import type { Decision, Event, Origin, StateView } from '@millrace/core';
import type { Commit } from './port.ts';

/** The events of a decision that somebody outside is to be told of, by their ids in the journal. */
export function outboxEntries(
  { state, version }: { readonly state: Pick<StateView, 'get'>; readonly version: number },
  { events, writes }: Decision,
): Pick<Commit, 'outboxEntries'> {
  const origin = state.get('origin') ?? originIn(writes);
  if (!hasObserver(origin)) return {};
  const entries = outboxEntriesIn(version + 1, events);
  return entries.length === 0 ? {} : { outboxEntries: entries };
}

/** The ids of those events of a commit that somebody outside is told of, if anybody is told of the run. */
export function outboxEntriesIn(version: number, events: readonly Event[]): readonly string[] {
  const past = events.length - ownEvents(events).length;
  return events.flatMap((event, at) => (at >= past && isNews(event, events) ? [`${version}-${at}`] : []));
}

/** The events of a commit that have happened in this run: what a fork begins with has happened elsewhere. */
export function ownEvents(events: readonly Event[]): readonly Event[] {
  const past = events.findIndex(({ type }) => type === 'run.forked') + 1;
  return past === 0 ? events : events.slice(past);
}

/** A question that is answered at once asks nobody. */
function isNews(event: Event, events: readonly Event[]): boolean {
  if (event.type !== 'activation.suspended') return event.type === 'run.finished';
  return !events.some((other) => other.type === 'activation.answered' && other.activation === event.activation);
}

/** Whether somebody outside is told of a run with this origin. */
export const hasObserver = (origin: Origin | undefined): boolean =>
  origin !== undefined && (origin.told === true || origin.webhook !== undefined || origin.batch !== undefined);

function originIn(writes: Decision['writes']): Origin | undefined {
  const write = writes.find(({ key }) => key === 'origin');
  return write?.type === 'set' ? (write.value as Origin) : undefined; // the record under this key
}
