import type { ChatReply } from '../definitions/host.ts';
import type { Block, MessageBody, ToolCall } from '../model/messages/message.ts';
import { textOf } from '../model/messages/message.ts';

/** What a step has to say to a model: its content, and calls of tools. */
export interface StepContent {
  readonly content: MessageBody['content'];
  readonly toolCalls?: readonly ToolCall[];
}

/** Returns the content of a model's reply. */
export const contentOfReply = ({ text, blocks = [] }: Pick<ChatReply, 'text' | 'blocks'>): MessageBody['content'] =>
  blocks.length === 0 ? text : [...textBlocks(text), ...blocks];

const textBlocks = (text: string): readonly Block[] => (text === '' ? [] : [{ type: 'text', text }]);

/**
 * Returns what the result of a step contributes to a conversation: the reply of a model, the answer of a tool or a person,
 * or the text of memories. Undefined for other results, and for failures.
 */
export function contentOfStep(value: unknown): StepContent | undefined {
  if (typeof value === 'string') return { content: value };
  if (!isObject(value)) return undefined;
  const reply = replyIn(value);
  if (reply !== undefined) {
    const content = contentOfReply(reply);
    return reply.toolCalls === undefined ? { content } : { content, toolCalls: reply.toolCalls };
  }
  if (isContent(value['content'])) return { content: value['content'] };
  const answer = value['answer'];
  if (isObject(answer) && isContent(answer['content'])) return { content: textOf({ content: answer['content'] }) };
  return undefined;
}

/** Returns the reply in the result of a call of a model; undefined for other results. */
export function replyIn(value: unknown): ChatReply | undefined {
  if (!isObject(value) || value['type'] !== 'reply' || !isObject(value['reply'])) return undefined;
  // A worker stores it in this form.
  return value['reply'] as unknown as ChatReply;
}

/** Returns the error in the result of a failed call of a model; undefined for other results. */
export function failureIn(value: unknown): { readonly code: string; readonly message: string } | undefined {
  if (!isObject(value) || value['type'] !== 'failed' || !isObject(value['failed'])) return undefined;
  const { code, message } = value['failed'];
  return typeof code === 'string' && typeof message === 'string' ? { code, message } : undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isContent = (value: unknown): value is MessageBody['content'] =>
  typeof value === 'string' || (Array.isArray(value) && value.every((block) => isObject(block) && 'type' in block));
