import type { MessageBody } from '@millrace/core';
import { textOf } from '@millrace/core';
import type { StoredBody } from '../ports/store/port.ts';

/*
 * Readers of a journal are shown the beginnings of messages. A message may be long, so only the first bytes of its JSON
 * are read, and its text is taken from these: from the JSON as a whole if it ends there, else from the string in which
 * the text begins.
 */

/** Length of the head of a message: bytes of its JSON in UTF-8. Enough for 200 characters, however they are escaped. */
export const headBytes = 2048;

/** Maximum length of the text that events show, in characters. */
const shownCharacters = 200;

/** Returns the beginning of a text. Counts code points, so that no character is cut in half. */
export function beginningOf(text: string): string {
  // A character has at most two code units.
  const characters = [...text.slice(0, 2 * shownCharacters + 2)];
  return characters.length <= shownCharacters ? text : `${characters.slice(0, shownCharacters).join('')}…`;
}

/** Returns the beginning of the text of a message; undefined when the head does not contain it. */
export function beginningOfMessage(head: string): string | undefined {
  const whole = parsed(head) as MessageBody | undefined;
  if (whole !== undefined) return beginningOf(textOf(whole));
  return beginningAt(textOfMessage, head);
}

/** Returns the beginning of the result of a call; undefined when it has no text, or the head does not contain it. */
export function beginningOfResult(head: string): string | undefined {
  const whole = parsed(head) as MessageBody | undefined;
  if (whole === undefined) return beginningAt(textOfResult, head);
  const [block] = typeof whole.content === 'object' ? whole.content : [];
  const value = block?.type === 'data' ? block.data['value'] : undefined;
  const text = textIn(value);
  return typeof text === 'string' && text !== '' ? beginningOf(text) : undefined;
}

/** Returns the text of a result: a reply of a model has a `text`, an answer of a tool a `content`. */
function textIn(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { reply, text, content } = value as { reply?: unknown; text?: unknown; content?: unknown };
  return reply === undefined ? (text ?? content) : textIn(reply);
}

/** Returns the head of a message; undefined when there is none. */
export const headOf = (body: StoredBody | undefined): string | undefined =>
  body === undefined ? undefined : Buffer.from(JSON.stringify(body)).toString('utf8', 0, headBytes);

/** Returns the digest of the blob that a head refers to; undefined for a message that is stored inline. */
export function blobOfHead(head: string): string | undefined {
  return /^\{"blob":"([0-9a-f]{64})"\}$/.exec(head)?.[1];
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const string = String.raw`"((?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-f]{4}))*)`;
/** The text of a message whose JSON continues after the head: fields before it are short. */
const textOfMessage = new RegExp(
  String.raw`^\{(?:"\w+":(?:"[^"\\]*"|true),)*"content":(?:\[\{"type":"text","text":)?${string}`,
);
const textOfResult = new RegExp(`"(?:value|text|content)":${string}`);

function beginningAt(pattern: RegExp, head: string): string | undefined {
  const [, text] = pattern.exec(head) ?? [];
  if (text === undefined) return undefined;
  const beginning = parsed(`"${text}"`);
  return typeof beginning === 'string' ? beginningOf(beginning) : undefined;
}
