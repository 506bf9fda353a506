import type { Event, JournalEntry } from '@millrace/core';
import { withoutTenant } from '@millrace/core';

/**
 * Returns an entry of a journal for the tenant of its run: ids of other runs in it are the ones that the tenant knows.
 */
export const entryForTenant = (entry: JournalEntry): JournalEntry => ({ ...entry, event: eventForTenant(entry.event) });

/** Yields entries for a tenant as they come. */
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
