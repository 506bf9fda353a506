import type { Event, EventType, MessageId, MessageRef } from '@millrace/core';
import type { EventOf } from './named-event.ts';

/** Text of an event for people: a text, or a message whose beginning has to be read. */
export type Spoken =
  | { readonly text: string }
  | { readonly message: MessageId; readonly source: string }
  /** The result of a call of the event's activation. */
  | { readonly result: MessageId };

type SpokenBy = { readonly [T in EventType]?: (event: EventOf<T>) => Spoken | undefined };

/** Returns what an event says; undefined for events that say nothing. */
export function spokenIn(event: Event): Spoken | undefined {
  // The table pairs each type with the function of that very type.
  const find = table[event.type] as ((event: Event) => Spoken | undefined) | undefined;
  return find?.(event);
}

const said = (ref: MessageRef | undefined): Spoken | undefined =>
  ref === undefined ? undefined : { message: ref.id, source: ref.source };

const table: SpokenBy = {
  'run.started': ({ origin: { title } }) => (title === undefined ? undefined : { text: title }),
  'run.failing': ({ error }) => ({ text: error.message }),
  'run.stopping': ({ stop }) => ({ text: stop.text }),
  'run.forked': ({ output }) => said(output),
  'run.told': ({ messages }) => said(messages.at(-1)),
  'run.finished': ({ output, error, stop }) => {
    const reason = stop?.text ?? error?.message;
    return reason === undefined ? said(output) : { text: reason };
  },
  'signal.received': ({ message }) => said(message),
  'graph.entered': ({ task }) => said(task.at(-1)),
  'graph.left': ({ last }) => said(last),
  'scope.stopping': ({ stop }) => ({ text: stop.text }),
  'activation.suspended': ({ wait }) => (wait.prompt === '' ? undefined : { text: wait.prompt }),
  'activation.answered': ({ answer }) => said(answer),
  'activation.completed': ({ outputs }) => said(outputs.at(-1)),
  'activation.failed': ({ error }) => ({ text: error.message }),
  'step.completed': ({ result }) => ({ result }),
};
