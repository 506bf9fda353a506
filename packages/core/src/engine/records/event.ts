import type { Recorded } from '../../model/recorded.ts';
import type { activationEvents, stepEvents } from './activation-events.ts';
import type { EventDefinition, StoredEvent } from './event-definition.ts';
import type { FinalStatus as FinalStatusSchema, RunError as RunErrorSchema, runEvents } from './run-events.ts';
import type { graphEvents, scopeEvents } from './scope-events.ts';

type Definition = (
  | typeof runEvents
  | typeof graphEvents
  | typeof activationEvents
  | typeof stepEvents
  | typeof scopeEvents
)[number];

type Stored<D> = D extends EventDefinition ? Recorded<StoredEvent<D>> : never;

/**
 * An event of a run. The journal is the list of events; the state is their fold (evolve.ts). Events carry ids, never
 * bodies: a body is stored once, before or with the event that first names it. They have the next ids in order.
 */
export type Event = Stored<Definition>;

export type EventType = Event['type'];

/** The events of some types. */
export type EventOf<T extends EventType> = Extract<Event, { readonly type: T }>;

/** The error of a run, and the activation that it happened in. */
export type RunError = Recorded<typeof RunErrorSchema>;

/** Final status of a run. */
export type FinalStatus = Recorded<typeof FinalStatusSchema>;

/** A part of a journal that was written to a blob; it begins where the part before it ends, and `to` is its last version. */
export type ArchivedSegment = Omit<EventOf<'journal.archived'>, 'type' | 'bodies'>;

/** An event from outside that arrived before a node waits for it. */
export type KeptSignal = Pick<EventOf<'signal.received'>, 'name' | 'message' | 'fields'>;

/** Name and id of an event from outside that the run has accepted. */
export type AcceptedSignal = Required<Pick<EventOf<'signal.received'>, 'name' | 'id'>>;

/** An event with its position in the journal. */
export interface JournalEntry {
  /** `<version>-<n>`: the commit, and the event's number in it from 0. */
  readonly id: string;
  /** Milliseconds since 1970 by Redis' clock. */
  readonly at: number;
  readonly event: Event;
}
