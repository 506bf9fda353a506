import type { ActivationId, Event, EventType, JournalEntry, ScopeId } from '@millrace/core';

/** Node at which something happened: its id and type, both empty for a count of votes, and the key of its graph. */
export interface NodePlace {
  readonly nodeId: string;
  readonly nodeType: string;
  readonly graph: string;
}

/** Node, unit and turn of an activation. */
export interface ActivationPlace extends NodePlace {
  /** Number of the unit in its fan-out, from 0. */
  readonly unit?: number;
  /** Iteration of the loop that it is part of, from 1. */
  readonly turn?: number;
}

/** A node that an event may name. */
type NamedNode = Partial<Omit<NodePlace, 'graph'>>;

/** Names that readers of an event get beside its ids. */
type PlaceOf<E extends Event> = E extends { readonly activation: ActivationId }
  ? ActivationPlace
  : E extends { readonly type: 'cycle.iterated' }
    ? NodePlace & { readonly turn: number }
    : E extends { readonly type: `cycle.${string}` | `fanout.${string}` }
      ? NodePlace
      : E extends { readonly type: 'graph.entered' }
        ? NamedNode & Pick<ActivationPlace, 'unit'>
        : E extends { readonly type: 'run.told' }
          ? NamedNode
          : E extends { readonly type: 'items.skipped' }
            ? Pick<NodePlace, 'graph'> & { readonly nodeIds: readonly string[] }
            : E extends { readonly type: 'scope.stopping' }
              ? Pick<NodePlace, 'graph'> & NamedNode
              : E extends { readonly scope: ScopeId }
                ? Pick<NodePlace, 'graph'>
                : object;

/** Place of an event by its type. */
export type EventPlace<T extends EventType = EventType> = PlaceOf<EventOf<T>>;

/** A stored event of one type. */
export type EventOf<T extends EventType> = Extract<Event, { readonly type: T }>;

/**
 * An event of a journal as the tenant of its run reads it: with names beside ids, the beginning of what was said, and
 * without the tokens of wakes.
 */
export type NamedEvent = {
  [T in EventType]: Omit<EventOf<T>, 'token'> & EventPlace<T> & { readonly text?: string };
}[EventType];

/** An entry of a journal as the tenant of its run reads it. */
export type NamedEntry = Omit<JournalEntry, 'event'> & { readonly event: NamedEvent };
