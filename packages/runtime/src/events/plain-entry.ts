import type { Event, JournalEntry } from '@millrace/core';
import { publicAddress, withoutTenant } from '@millrace/core';

/** An entry of a journal for its tenant, without the names that `PublishedEntry` has. */
export type PlainEntry = Omit<JournalEntry, 'event'> & { readonly event: PlainEvent };

type PlainEvent = Event extends infer One ? (One extends Event ? Omit<One, 'token'> : never) : never;

/**
 * Returns an entry of a journal for the tenant of its run: ids of other runs in it are the ones that the tenant knows, and
 * the tokens of wakes are left out, as are the paths of addresses of webhooks.
 */
export function plainEntry({ event, ...entry }: JournalEntry): PlainEntry {
  const { token: _token, ...shown } = eventForTenant(event) as Event & { readonly token?: string };
  return { ...entry, event: shown as PlainEvent }; // without `token`, it is the same event
}

/** Yields entries for a tenant as they come. */
export async function* plainEntries(entries: AsyncIterable<JournalEntry>): AsyncGenerator<PlainEntry> {
  for await (const entry of entries) yield plainEntry(entry);
}

function eventForTenant(event: Event): Event {
  if (event.type === 'run.forked') {
    const { replay } = event;
    const source = replay === undefined ? {} : { replay: { ...replay, run: withoutTenant(replay.run) } };
    return { ...event, of: withoutTenant(event.of), ...source };
  }
  if (event.type !== 'run.started') return event;
  const { origin } = event;
  const { replay, fork, webhook } = origin;
  return {
    ...event,
    origin: {
      ...origin,
      ...(replay === undefined ? {} : { replay: { ...replay, run: withoutTenant(replay.run) } }),
      ...(fork === undefined ? {} : { fork: { ...fork, run: withoutTenant(fork.run) } }),
      ...(webhook === undefined ? {} : { webhook: { ...webhook, url: publicAddress(webhook.url) } }),
    },
  };
}
