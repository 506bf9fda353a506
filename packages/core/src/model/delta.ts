import type { Message, MessageBody } from './message.ts';

/** What kind of message it is: what it says, or what it asks of the engine. */
export type MessageKind = 'text' | 'structured' | 'multimodal' | 'tool_summary' | 'stop' | 'handoff';

/** Kinds of things that happen inside an activation beside its messages. */
export type NodeEventKind =
  | 'tool_call_request'
  | 'tool_call_execution'
  | 'thought'
  | 'memory_query'
  | 'human_input_requested'
  | 'branch_selected'
  | 'code_execution';

/** Something that happened inside an activation. */
export interface NodeEvent {
  readonly kind: NodeEventKind;
  /** What was asked, thought or answered. */
  readonly text: string;
  /** The function that was called. */
  readonly name?: string;
  /** The function answered with an error. */
  readonly failed?: true;
}

/** A message of a delta. */
export interface DeltaMessage {
  readonly type: 'message';
  /** Id of the node that said it, `user` for the task, `Sub/Writer` for a node of a graph inside. */
  readonly source: string;
  readonly kind: MessageKind;
  readonly text: string;
  /** Whom a handoff names. */
  readonly target?: string;
  /** A node gave it on that runs a graph, where it was said before. */
  readonly returned?: true;
}

/** An event of a delta. */
export interface DeltaEvent extends NodeEvent {
  readonly type: 'event';
  readonly source: string;
}

export type DeltaItem = DeltaMessage | DeltaEvent;

/** Tokens of model calls. */
export interface TokenCounts {
  readonly prompt: number;
  readonly completion: number;
}

/** What one activation adds to what terminations look at; or the task, when a run starts or is resumed with one. */
export interface TerminationDelta {
  /** Events first, then messages, each in the order in which they came about. Forwarded messages are none of it. */
  readonly items: readonly DeltaItem[];
  readonly tokens: TokenCounts;
  /** Id of the node, `user` for the task. */
  readonly source: string;
  /** A node that speaks was at work: an agent, a person, a program, a graph. */
  readonly turn: boolean;
  readonly task: boolean;
  /** It happened in a graph that a node of the scope runs. */
  readonly nested: boolean;
}

/** The source that the task has for terminations. */
export const taskSource = 'user';

const told: ReadonlySet<unknown> = new Set<MessageKind>(['tool_summary', 'stop', 'handoff']);

/** The kind that a message says it is of, or that its content shows. */
export function messageKindOf({ content, metadata }: Pick<MessageBody, 'content' | 'metadata'>): MessageKind {
  const kind = metadata?.['message_kind'];
  if (told.has(kind)) return kind as MessageKind; // one of the set
  if (typeof content === 'string' || content.every(({ type }) => type === 'text')) return 'text';
  return content.some(({ type }) => type !== 'text' && type !== 'data') ? 'multimodal' : 'structured';
}

/** Whom a message hands over to; undefined when it is no handoff. */
export function handoffTarget(message: Pick<MessageBody, 'content' | 'metadata'>): string | undefined {
  const target = message.metadata?.['handoff_target'];
  return messageKindOf(message) === 'handoff' && typeof target === 'string' ? target : undefined;
}

/** A message that hands over to a node, or to somebody outside. */
export const handoffMessage = (message: Message, target: string): Message => ({
  ...message,
  metadata: { ...message.metadata, message_kind: 'handoff', handoff_target: target },
});

/** A message that asks for the end. */
export const stopMessage = (message: Message): Message => ({
  ...message,
  metadata: { ...message.metadata, message_kind: 'stop' },
});

/** The message as a delta has it; data is told as JSON. */
export function toDeltaMessage(message: MessageBody, source: string): DeltaMessage {
  const target = handoffTarget(message);
  return {
    type: 'message',
    source,
    kind: messageKindOf(message),
    text: wholeText(message),
    ...(target === undefined ? {} : { target }),
  };
}

function wholeText({ content }: MessageBody): string {
  if (typeof content === 'string') return content;
  return content
    .map((block) => {
      if (block.type === 'data') return [block.text, JSON.stringify(block.data)].filter(Boolean).join('\n');
      return block.text ?? '';
    })
    .join('\n');
}
