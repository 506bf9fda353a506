import type { Decision, Event, Origin, StateView } from '@millrace/core';
import type { Commit } from './store/port.ts';

/** The events of a decision that somebody outside is to be told of, by their ids in the journal. */
export function noticed(
  { state, version }: { readonly state: Pick<StateView, 'get'>; readonly version: number },
  { events, writes }: Decision,
): Pick<Commit, 'notices'> {
  const origin = state.get('origin') ?? originIn(writes);
  if (origin === undefined || !isTold(origin)) return {};
  const past = events.length - newsOf(events).length;
  const notices = events.flatMap((event, at) => (at >= past && isNews(event, events) ? [`${version + 1}-${at}`] : []));
  return notices.length === 0 ? {} : { notices };
}

/** The events of a commit that have happened in this run: what a fork begins with has happened elsewhere. */
export function newsOf(events: readonly Event[]): readonly Event[] {
  const past = events.findIndex(({ type }) => type === 'run.forked') + 1;
  return past === 0 ? events : events.slice(past);
}

/** A question that is answered at once asks nobody. */
function isNews(event: Event, events: readonly Event[]): boolean {
  if (event.type !== 'activation.suspended') return event.type === 'run.finished';
  return !events.some((other) => other.type === 'activation.answered' && other.activation === event.activation);
}

const isTold = ({ told, webhook, batch }: Origin): boolean =>
  told === true || webhook !== undefined || batch !== undefined;

function originIn(writes: Decision['writes']): Origin | undefined {
  const write = writes.find(({ key }) => key === 'origin');
  return write?.type === 'set' ? (write.value as Origin) : undefined; // the record under this key
}
