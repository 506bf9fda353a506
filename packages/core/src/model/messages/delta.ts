import type { Message, MessageBody } from './message.ts';

/** Kind of a message: a text, or a request to the engine. */
export type MessageKind = 'text' | 'structured' | 'multimodal' | 'tool_summary' | 'stop' | 'handoff';

/** Kinds of events inside an activation. */
export type NodeEventKind =
  | 'tool_call_request'
  | 'tool_call_execution'
  | 'thought'
  | 'memory_query'
  | 'human_input_requested'
  | 'branch_selected'
  | 'code_execution';

/** An event inside an activation. */
export interface NodeEvent {
  readonly kind: NodeEventKind;
  /** Text of the request, thought or answer. */
  readonly text: string;
  /** Name of the function that was called. */
  readonly name?: string;
  /** The function returned an error. */
  readonly failed?: true;
}

/** A message of a delta. */
export interface DeltaMessage {
  readonly type: 'message';
  /** Id of the source node, `user` for the task, `Sub/Writer` for a node of an inner graph. */
  readonly source: string;
  readonly kind: MessageKind;
  readonly text: string;
  /** Target of a handoff. */
  readonly target?: string;
  /** The output of a node that runs a graph, in which the message was counted before. */
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

/**
 * Messages and events of one activation, as terminations observe them; or the task, when a run is started or resumed
 * with one.
 */
export interface TerminationDelta {
  /** Events first, then messages, each in their order. Forwarded messages are left out. */
  readonly items: readonly DeltaItem[];
  readonly tokens: TokenCounts;
  /** Id of the node, `user` for the task. */
  readonly source: string;
  /** The node speaks: it is an agent, a person, a program or a graph. */
  readonly turn: boolean;
  readonly task: boolean;
  /** It happened in an inner graph of a node of the scope. */
  readonly nested: boolean;
}

/** Source of the task for terminations. */
export const taskSource = 'user';

const explicitKinds: ReadonlySet<unknown> = new Set<MessageKind>(['tool_summary', 'stop', 'handoff']);

/** Returns the kind of a message, by its metadata or else by its content. */
export function messageKindOf({ content, metadata }: Pick<MessageBody, 'content' | 'metadata'>): MessageKind {
  const kind = metadata?.['message_kind'];
  if (explicitKinds.has(kind)) return kind as MessageKind; // one of the set
  if (typeof content === 'string' || content.every(({ type }) => type === 'text')) return 'text';
  return content.some(({ type }) => type !== 'text' && type !== 'data') ? 'multimodal' : 'structured';
}

/** Returns the target of a handoff; undefined if the message is not one. */
export function handoffTarget(message: Pick<MessageBody, 'content' | 'metadata'>): string | undefined {
  const target = message.metadata?.['handoff_target'];
  return messageKindOf(message) === 'handoff' && typeof target === 'string' ? target : undefined;
}

/** Returns the message as a handoff to a node, or to a name outside of the graph. */
export const handoffMessage = (message: Message, target: string): Message => ({
  ...message,
  metadata: { ...message.metadata, message_kind: 'handoff', handoff_target: target },
});

/** Returns the message as a request to stop. */
export const stopMessage = (message: Message): Message => ({
  ...message,
  metadata: { ...message.metadata, message_kind: 'stop' },
});

/** Returns the message as part of a delta; data becomes JSON. */
export function toDeltaMessage(message: MessageBody, source: string): DeltaMessage {
  const target = handoffTarget(message);
  return {
    type: 'message',
    source,
    kind: messageKindOf(message),
    text: textWithData(message),
    ...(target === undefined ? {} : { target }),
  };
}

function textWithData({ content }: MessageBody): string {
  if (typeof content === 'string') return content;
  return content
    .map((block) => {
      if (block.type === 'data') return [block.text, JSON.stringify(block.data)].filter(Boolean).join('\n');
      return block.text ?? '';
    })
    .join('\n');
}
