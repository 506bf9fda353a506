import type { Event, JournalEntry } from '@millrace/core';
import { withoutTenant } from '@millrace/core';

/** An entry of a journal in the words of the tenant of its run: other runs in it by the ids that the tenant knows. */
export const entryForTenant = (entry: JournalEntry): JournalEntry => ({ ...entry, event: eventForTenant(entry.event) });

/** The same for entries as they come. */
export async function* entriesForTenant(entries: AsyncIterable<JournalEntry>): AsyncGenerator<JournalEntry> {
  for await (const entry of entries) yield entryForTenant(entry);
}

function eventForTenant(event: Event): Event {
  if (event.type === 'run.forked') return { ...event, of: withoutTenant(event.of) };
  if (event.type !== 'run.started') return event;
  const { origin } = event;
  const { replay, fork } = origin;
  return {
    ...event,
    origin: {
      ...origin,
      ...(replay === undefined ? {} : { replay: { ...replay, run: withoutTenant(replay.run) } }),
      ...(fork === undefined ? {} : { fork: { ...fork, run: withoutTenant(fork.run) } }),
    },
  };
}
