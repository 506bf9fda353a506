import type { RunEvent, RunGraphs } from '@millrace/client';

/** One thing that somebody said in a run: the task, an agent, or a person. */
export interface SaidMessage {
  /** Id of the message; its text is loaded when it is shown. */
  readonly message: string;
  readonly source: string;
  readonly role: string;
  readonly at: number;
  /** Id of the activation that it came from; absent for the task. */
  readonly activation: string | undefined;
  /** A person said it. */
  readonly isAnswer: boolean;
}

interface Spoken {
  readonly id: string;
  readonly source: string;
  readonly role: string;
}

/** Returns what was said in these events, in order; outputs that the author has marked as not to be shown are left out. */
export function conversationOf(events: readonly RunEvent[], { graphs }: RunGraphs): readonly SaidMessage[] {
  const discreet = new Set(graphs.flatMap(({ nodes }) => nodes.filter((node) => node.discreet).map(({ id }) => id)));
  const said = events.flatMap(({ at, event }): SaidMessage[] => {
    const activation = typeof event['activation'] === 'string' ? event['activation'] : undefined;
    return spokenIn(event).map(({ id, source, role }) => ({
      message: id,
      source,
      role,
      at,
      activation,
      isAnswer: event.type === 'activation.answered',
    }));
  });
  const shown = new Set<string>();
  const answered = new Set<string>();
  return said.filter(({ message, source, activation = '', isAnswer }) => {
    // What a person answered is the output of the node as well, and what a node passes on has been said before.
    const isRepeated = shown.has(message) || (!isAnswer && answered.has(activation));
    shown.add(message);
    if (isAnswer) answered.add(activation);
    return !isRepeated && !discreet.has(source);
  });
}

/** Messages that an event brings along; the events of the root graph bring the task. */
function spokenIn(event: RunEvent['event']): readonly Spoken[] {
  // The journal's own fields; what an event does not have is undefined.
  const {
    type,
    scope,
    task = [],
    outputs = [],
    answer,
  } = event as unknown as Partial<{
    type: string;
    scope: string;
    task: readonly Spoken[];
    outputs: readonly Spoken[];
    answer: Spoken;
  }>;
  if (type === 'graph.entered' && scope === 's0') return task;
  if (type === 'activation.completed') return outputs;
  return type === 'activation.answered' && answer !== undefined ? [{ ...answer, role: 'user' }] : [];
}
