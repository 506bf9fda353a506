import type { Event, EventOf, EventType, MessageId, MessageRef } from '@millrace/core';

/** Text of an event for people: a text, or a message whose beginning has to be read. */
export type TextSource =
  | { readonly text: string }
  | { readonly message: MessageId; readonly source: string }
  /** The result of a call of the event's activation. */
  | { readonly result: MessageId };

type TextSources = { readonly [T in EventType]?: (event: EventOf<T>) => TextSource | undefined };

/** Returns the source of the text of an event; undefined if the event has no text. */
export function textSourceOf(event: Event): TextSource | undefined {
  // The table pairs each type with the function of that very type.
  const find = table[event.type] as ((event: Event) => TextSource | undefined) | undefined;
  return find?.(event);
}

const ofMessage = (ref: MessageRef | undefined): TextSource | undefined =>
  ref === undefined ? undefined : { message: ref.id, source: ref.source };

const table: TextSources = {
  'run.started': ({ origin: { title } }) => (title === undefined ? undefined : { text: title }),
  'run.failing': ({ error }) => ({ text: error.message }),
  'run.stopping': ({ stop }) => ({ text: stop.text }),
  'run.forked': ({ output }) => ofMessage(output),
  'run.told': ({ messages }) => ofMessage(messages.at(-1)),
  'run.finished': ({ output, error, stop }) => {
    const reason = stop?.text ?? error?.message;
    return reason === undefined ? ofMessage(output) : { text: reason };
  },
  'signal.received': ({ message }) => ofMessage(message),
  'graph.entered': ({ task }) => ofMessage(task.at(-1)),
  'graph.left': ({ last }) => ofMessage(last),
  'scope.stopping': ({ stop }) => ({ text: stop.text }),
  'activation.suspended': ({ wait }) => (wait.prompt === '' ? undefined : { text: wait.prompt }),
  'activation.answered': ({ answer }) => ofMessage(answer),
  'activation.completed': ({ outputs }) => ofMessage(outputs.at(-1)),
  'activation.failed': ({ error }) => ({ text: error.message }),
  'step.completed': ({ result }) => ({ result }),
  'step.unknown': ({ warning }) => ({ text: warning.message }),
  'step.late': ({ warning }) => ({ text: warning.message }),
};
