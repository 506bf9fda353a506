import type { MessageReference, Recorded } from '../recorded.ts';

/** Role of a message, as in the chat APIs. */
export type Role = 'system' | 'user' | 'assistant' | 'tool';

/** A reference to stored binary content. `digest` is its sha256 in hex; `size` is in bytes. */
export interface Attachment {
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
  readonly size?: number;
  readonly digest?: string;
  readonly uri?: string;
}

/** One part of a message that is more than plain text. */
export type Block =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image' | 'audio' | 'video' | 'file';
      readonly attachment: Attachment;
      readonly text?: string;
    }
  | DataBlock;

/** Structured data, with the text that people and models read. */
export interface DataBlock {
  readonly type: 'data';
  readonly data: Readonly<Record<string, unknown>>;
  readonly text?: string;
}

/** A function call that a model asked for; `arguments` is the JSON text as the model wrote it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** Data of the provider that it expects back with the call, such as a signature of its reasoning. */
  readonly opaque?: string;
}

/** The part of a message that is stored once and never changes. */
export interface MessageBody {
  readonly role: Role;
  readonly content: string | readonly Block[];
  /** The role is kept on edges; otherwise an edge sets it to `user`. */
  readonly preserveRole?: true;
  readonly name?: string;
  readonly toolCallId?: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A message as a node receives it: a body with its source. */
export interface Message extends MessageBody {
  /** Id of the source node, or `TASK` for the run's input. */
  readonly source: string;
  /** The message survives clear_context and the context window. */
  readonly keep: boolean;
}

/** A reference to a stored body: an edge changes its role and source, not the body. */
export type MessageRef = Recorded<typeof MessageReference>;

/** Returns the message of a reference and its body. */
export const messageOf = (ref: MessageRef, body: MessageBody): Message => ({
  // Before the spread, as fields that are added after one take much longer.
  source: ref.source,
  keep: ref.keep === true,
  ...body,
  role: ref.role,
});

/** Returns the body of a message, without its source. */
export function bodyOf({ source: _source, keep: _keep, ...body }: Message): MessageBody {
  return body;
}

/** Returns a text message from `source`. */
export const textMessage = (role: Role, content: string, source: string): Message => ({
  role,
  content,
  source,
  keep: false,
});

/** Returns the text of a message for conditions, processors, people and results: one line per block. */
export function textOf(message: Pick<MessageBody, 'content'>): string {
  if (typeof message.content === 'string') return message.content;
  return message.content
    .map(describe)
    .filter((line) => line !== '')
    .join('\n');
}

function describe(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text === '' ? '[text block]' : block.text;
    case 'data':
      return block.text ?? (typeof block.data.text === 'string' ? block.data.text : '[data block]');
    default:
      return `[${block.type} attachment: ${block.attachment.name || block.attachment.id}]`;
  }
}

/** Maximum size of a message, in characters; larger contents belong in files. */
export const maxMessageChars = 16 * 1024 * 1024;

/** Returns the approximate size of a message in characters, for limits. The cost depends on the number of its values, not on their length. */
export const messageSize = ({ content, metadata, toolCalls }: MessageBody): number =>
  200 +
  (typeof content === 'string' ? content.length : sizeOf(content)) +
  (metadata === undefined ? 0 : sizeOf(metadata)) +
  (toolCalls ?? []).reduce((sum, call) => sum + call.arguments.length, 0);

/** Returns the approximate length of the JSON of a value. Each message is measured, so it makes no lists of fields. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (!isObject(value)) return String(value).length;
  let size = 1;
  if (Array.isArray(value)) for (const entry of value) size += sizeOf(entry) + 1;
  else for (const key in value) size += key.length + sizeOf(Reflect.get(value, key)) + 4;
  return size;
}

/**
 * Returns the message of an error if one of these messages is too large, or nests too deeply, to be stored; else undefined. `what` begins the
 * sentence.
 */
export function oversizeProblem(bodies: readonly MessageBody[], what: string): string | undefined {
  let size = 0;
  let isDeep = false;
  for (const body of bodies) {
    isDeep ||= isTooDeep(body.content) || isTooDeep(body.metadata);
    if (!isDeep) size = Math.max(size, messageSize(body));
  }
  if (isDeep)
    return `${what} has a message with data of more than ${maxJsonDepth.toLocaleString('en')} levels. Pass it on as a text or a file instead.`;
  if (size <= maxMessageChars) return undefined;
  return `${what} has a message of ${size.toLocaleString('en')} characters; a message may have ${maxMessageChars.toLocaleString('en')}. Pass large contents on as a file instead.`;
}

/**
 * Maximum number of levels of the JSON of people and models, as in Python. What nests deeper can be parsed, but is neither
 * written nor copied again: that is recursive, and needs too much stack from some 4,000 levels on.
 */
export const maxJsonDepth = 1000;

/**
 * Maximum number of lists, objects and commas of JSON that is parsed beside other work, as the data of messages is: so many take a
 * tenth of a second and some ten MB. What is longer than that is for processes of its own.
 */
export const maxJsonValues = 100_000;

const [quote, backslash, openList, closeList, openFields, closeFields] = [...'"\\[]{}'].map((one) => one.charCodeAt(0));
const comma = ','.charCodeAt(0);

/** Returns whether a text, if it is JSON, nests more deeply than {@link maxJsonDepth}. It is linear, and not recursive. */
export function nestsTooDeeply(text: string): boolean {
  if (text.length <= maxJsonDepth) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === openList || code === openFields) {
      if (++depth > maxJsonDepth) return true;
    } else if (code === closeList || code === closeFields) depth--;
  }
  return false;
}

/** Returns whether a text, if it is JSON, has more than {@link maxJsonValues}. It is linear. */
export function hasTooManyValues(text: string): boolean {
  if (text.length <= maxJsonValues) return false;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if ((code === openList || code === openFields || code === comma) && ++values > maxJsonValues) return true;
  }
  return false;
}

/** Returns whether a value nests more deeply than {@link maxJsonDepth}. Each message is asked for, so it makes no lists of fields. */
export const isTooDeep = (value: unknown): boolean => nestsDeeperThan(maxJsonDepth, value);

/** It is recursive, up to the number of levels. */
function nestsDeeperThan(levels: number, value: unknown): boolean {
  if (!isObject(value)) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const entry of value) if (nestsDeeperThan(levels - 1, entry)) return true;
    return false;
  }
  for (const key in value) if (nestsDeeperThan(levels - 1, Reflect.get(value, key))) return true;
  return false;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Returns the position of the quote that ends the string at a position, or the length of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at;
    if (code === backslash) at++;
  }
  return text.length;
}
