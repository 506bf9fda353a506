import type { Event, MessageRef, Route } from '@millrace/core';
import { createRoute, rootScope } from '@millrace/core';

/**
 * A commit as the journal has it, in one entry under the id `<version>-0`, with its nonce and the text of the rest; its
 * events are `<version>-0`, `-1` and so on.
 */
export interface JournalCommit {
  readonly at: number;
  readonly nonce: string;
  readonly events: readonly Event[];
}

/*
 * Events are stored without the values that the usual activation has, and that follow from the rest of their commit, and
 * an event of an activation begins with the two together: `{"activation.ready": "a1", "node": 0}`. Every one of them
 * passes through the connection, the append-only file and the memory of Redis.
 */

type Ready = Extract<Event, { type: 'activation.ready' }>;
type CompletionEvent = Extract<Event, { type: 'activation.completed' }>;

/** A route without the position of the first output, and without what its message has in common with its output. */
type StoredRoute = Pick<Route, 'edge'> & {
  readonly output?: number | undefined;
  readonly dropped?: true | undefined;
  readonly message?: StoredMessage | undefined;
};
type StoredMessage = Omit<MessageRef, 'id' | 'role' | 'source'> & {
  readonly [Name in 'id' | 'role' | 'source']?: MessageRef[Name] | undefined;
};
type ShortReady = Omit<Ready, 'scope' | 'part' | 'token'> & {
  readonly scope?: Ready['scope'] | undefined;
  readonly part?: Ready['part'] | undefined;
  /** Absent: the nonce of the commit. */
  readonly token?: string | undefined;
};
type ShortCompletion = Omit<CompletionEvent, 'routes'> & { readonly routes: readonly StoredRoute[] };
type ShortEvent = Exclude<Event, Ready | CompletionEvent> | ShortReady | ShortCompletion;
/** An event with the field `type`; or one of an activation, whose first field has its type as its name. */
type PackedEvent = Readonly<Record<string, unknown>>;

/** Returns the text of a commit in its journal, without its nonce. */
export const packCommit = ({ at, nonce, events }: JournalCommit): string =>
  JSON.stringify({ at, events: events.map((event) => packEvent(event, nonce)) });

/** Returns the commit with a nonce from the result of {@link packCommit}. */
export function unpackCommit(nonce: string, text: string): JournalCommit {
  const { at, events } = JSON.parse(text) as Pick<JournalCommit, 'at'> & { readonly events: readonly PackedEvent[] };
  return { at, nonce, events: events.map((event) => unpackEvent(event, nonce)) };
}

function packEvent(event: Event, nonce: string): PackedEvent {
  const short = shortened(event, nonce);
  if (!('activation' in short)) return short;
  const { type, activation, ...fields } = short;
  return { [type]: activation, ...fields };
}

function unpackEvent(packed: PackedEvent, nonce: string): Event {
  if ('type' in packed) return completed(packed as ShortEvent, nonce); // as it was packed
  const [type = ''] = Object.keys(packed);
  const { [type]: activation, ...fields } = packed;
  return completed({ type, activation, ...fields } as ShortEvent, nonce); // as it was packed
}

// JSON has no fields that are undefined.
function shortened(event: Event, nonce: string): ShortEvent {
  switch (event.type) {
    case 'activation.ready':
      return {
        ...event,
        scope: event.scope === rootScope ? undefined : event.scope,
        part: event.part === 'whole' ? undefined : event.part,
        token: event.token === nonce ? undefined : event.token,
      };
    case 'activation.completed':
      return { ...event, routes: event.routes.map((route) => packRoute(route, event.outputs)) };
    default:
      return event;
  }
}

function packRoute({ edge, output, dropped, message }: Route, outputs: readonly MessageRef[]): StoredRoute {
  return {
    edge,
    output: output === 0 ? undefined : output,
    dropped,
    message: message === undefined ? undefined : packMessage(message, outputs[output]),
  };
}

const packMessage = (message: MessageRef, output: MessageRef | undefined): StoredMessage => ({
  ...message,
  role: message.role === output?.role ? undefined : message.role,
  source: message.source === output?.source ? undefined : message.source,
  id: message.id === output?.id ? undefined : message.id,
});

/** Adds what is usual to an event. */
function completed(event: ShortEvent, nonce: string): Event {
  switch (event.type) {
    case 'activation.ready': {
      const { type, activation, scope = rootScope, node, part = 'whole', token = nonce, ...rest } = event;
      return { type, activation, scope, node, part, token, ...rest };
    }
    case 'activation.completed': {
      const { type, activation, outputs, routes, ...rest } = event;
      return { type, activation, outputs, routes: routes.map((route) => unpackRoute(route, outputs)), ...rest };
    }
    default:
      return event;
  }
}

function unpackRoute({ edge, output = 0, dropped, message }: StoredRoute, outputs: readonly MessageRef[]): Route {
  return createRoute(edge, output, { dropped, message: message && unpackMessage(message, outputs[output]) });
}

function unpackMessage(message: StoredMessage, output: MessageRef | undefined): MessageRef {
  const { role = output?.role ?? 'user', source = output?.source ?? '', id = output?.id ?? 'm0', ...rest } = message;
  return { role, source, ...rest, id };
}
