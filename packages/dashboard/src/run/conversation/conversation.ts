import type { RunEvent, RunGraphs } from '@millrace/client';
import { exactText } from '@millrace/core/visible-text';

/** One part of a conversation, in order. */
export type Entry = MessageEntry | QuestionEntry | DecisionEntry | CallsEntry | FailureEntry;

interface Place {
  /** Id of the event. */
  readonly event: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Id of the activation; absent for the task. */
  readonly activation: string | undefined;
  /** Id of the node, or TASK. */
  readonly source: string;
  /** Key of the graph of the node; empty for the root graph. */
  readonly graph: string;
  /** Iteration of the loop around the node, from 1. */
  readonly iteration: number | undefined;
  /** Number of the unit in a fan-out, from 0. */
  readonly unit: number | undefined;
}

/** The task, an output of a node, or the answer of a person. */
export interface MessageEntry extends Place {
  readonly type: 'message';
  /** Id of the message. */
  readonly message: string;
  readonly isPerson: boolean;
  /** Name of the person who answered, if it is known. */
  readonly by: string | undefined;
  /** Beginning of the text; it ends in … where there is more. Absent: unknown. */
  readonly head: string | undefined;
}

/** A question to a person. */
export interface QuestionEntry extends Place {
  readonly type: 'question';
  readonly prompt: string;
  /** It contains the arguments of a call, of which Markdown could hide parts. */
  readonly isPlain?: true;
}

/** The decision on a call of a tool that an activation asked about. */
export interface DecisionEntry extends Place {
  readonly type: 'decision';
  readonly decision: 'approve' | 'reject' | 'expire';
  /** Name of the person who decided, if it is known. */
  readonly by: string | undefined;
  /** Arguments in place of those of the model, as JSON. */
  readonly sent: string | undefined;
  readonly reason: string | undefined;
}

/** Calls of tools by an activation, one after the other. */
export interface CallsEntry extends Place {
  readonly type: 'calls';
  readonly names: string[];
}

/** A failure of an activation. */
export interface FailureEntry extends Place {
  readonly type: 'failure';
  readonly code: string;
  readonly message: string;
}

/** A conversation, and the number of parts that its author has marked as not to be shown. */
export interface Conversation {
  readonly entries: readonly Entry[];
  readonly hidden: number;
}

/** Types of the events that are part of a conversation. */
export const spokenTypes = [
  'graph.entered',
  'activation.completed',
  'activation.answered',
  'activation.suspended',
  'tool.asked',
  'tool.decided',
  'activation.failed',
  'step.started',
] as const;

/** Weights of log levels; outputs are of the level INFO, failures of ERROR, and questions have to be seen. */
const weights = { DEBUG: 0, INFO: 1, WARNING: 2, ERROR: 3, CRITICAL: 4 } as const;
const weightOf = { message: 1, calls: 1, failure: 3, question: 4, decision: 4 } as const satisfies Record<
  Entry['type'],
  number
>;

/** Returns the messages of these events, in order. */
export function conversationOf(events: readonly RunEvent[], graphs: RunGraphs): Conversation {
  const isHidden = hiddenBy(graphs);
  const entries: Entry[] = [];
  const shown = new Set<string>();
  const answered = new Set<string>();
  let hidden = 0;
  for (const event of events) {
    for (const entry of entriesOf(event)) {
      if (entry.type === 'message' && isRepeated(entry, { shown, answered })) continue;
      if (isHidden(entry)) hidden += 1;
      else add(entries, entry);
    }
  }
  return { entries, hidden };
}

/** Adds a part; calls of one activation that follow each other are one part. */
function add(entries: Entry[], entry: Entry): void {
  const last = entries.at(-1);
  const isFolded = entry.type === 'calls' && last?.type === 'calls' && last.activation === entry.activation;
  if (!isFolded) entries.push(entry);
  else for (const name of entry.names) last.names.push(name);
}

interface ShownMessages {
  readonly shown: Set<string>;
  readonly answered: Set<string>;
}

/** Tests if a message is repeated: an answer is also the output of its node, and nodes pass on messages. */
function isRepeated({ message, activation = '', isPerson }: MessageEntry, { shown, answered }: ShownMessages): boolean {
  const isKnown = shown.has(message) || (!isPerson && answered.has(activation));
  shown.add(message);
  if (isPerson && activation !== '') answered.add(activation);
  return isKnown;
}

/** Returns a function that tests if an entry is hidden, by the marks of its node and the log level of its graph. */
function hiddenBy({ graphs }: RunGraphs): (entry: Entry) => boolean {
  const discreet = new Set(graphs.flatMap(({ nodes }) => nodes.filter((node) => node.discreet).map(({ id }) => id)));
  const levels = new Map(graphs.map(({ key, logLevel }) => [key, weights[logLevel]]));
  return ({ type, source, graph }) =>
    (type !== 'question' && type !== 'decision' && discreet.has(source)) || weightOf[type] < (levels.get(graph) ?? 0);
}

function entriesOf({ id, at, event }: RunEvent): readonly Entry[] {
  switch (event.type) {
    case 'graph.entered':
      if (event.scope !== 's0') return [];
      return messagesOf(event.task, event.text, {
        ...{
          event: id,
          at,
          activation: undefined,
          source: '',
          graph: event.graph,
          iteration: undefined,
          unit: undefined,
        },
        ...{ isPerson: true, by: undefined },
      });
    case 'activation.completed':
      return messagesOf(event.outputs, event.text, { ...locationOf(event, id, at), isPerson: false, by: undefined });
    case 'activation.answered':
      return messagesOf([event.answer], event.text, { ...locationOf(event, id, at), isPerson: true, by: event.by });
    case 'activation.suspended':
      // The calls that wait for approval are questions of their own.
      if (event.wait.kind === 'event' || event.wait.kind === 'approval') return [];
      return [{ ...locationOf(event, id, at), type: 'question', prompt: event.wait.prompt }];
    case 'tool.asked':
      return [
        {
          ...locationOf(event, id, at),
          type: 'question',
          prompt: `May it call ${exactText(event.tool)} with ${exactText(event.arguments)}?`,
          isPlain: true,
        },
      ];
    case 'tool.decided': {
      const { decision, by, arguments: sent, reason } = event;
      return [{ ...locationOf(event, id, at), type: 'decision', decision, by, sent, reason }];
    }
    case 'activation.failed':
      return [{ ...locationOf(event, id, at), type: 'failure', code: event.error.code, message: event.error.message }];
    case 'step.started':
      // Calls of models are frequent; tools and programs are of interest.
      if (/^(chat|embed)/.test(event.name)) return [];
      return [{ ...locationOf(event, id, at), type: 'calls', names: [exactText(event.name)] }];
    default:
      return [];
  }
}

type OpenedEvent = Extract<RunEvent['event'], { readonly type: 'activation.opened' }>;

const locationOf = (named: Omit<OpenedEvent, 'type'>, event: string, at: number): Place => ({
  event,
  at,
  activation: named.activation,
  source: named.nodeId,
  graph: named.graph,
  iteration: named.iteration,
  unit: named.unit,
});

type Reference = Extract<RunEvent['event'], { readonly type: 'activation.answered' }>['answer'];

const messagesOf = (
  references: readonly Reference[],
  text: string | undefined,
  place: Place & Pick<MessageEntry, 'isPerson' | 'by'>,
): readonly MessageEntry[] =>
  references.map(({ id, source }, at, all) => ({
    ...place,
    type: 'message',
    message: id,
    source,
    head: at === all.length - 1 ? text : undefined,
  }));
