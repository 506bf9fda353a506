import { createHash } from 'node:crypto';
import type { Block, ChatMessage } from '@millrace/core';
import { attachmentBlock, textOf } from '@millrace/core';

/** Returns an image, recording or file of a model as a block of a message. */
export function mediaBlock({ mimeType, base64 }: { readonly mimeType: string; readonly base64: string }): Block {
  const id = createHash('sha256').update(base64).digest('hex').slice(0, 32);
  const [kind = 'file', type = 'bin'] = mimeType.split(/[;+]/)[0]?.split('/') ?? [];
  return attachmentBlock({
    id,
    name: `${kind}.${extensions.get(type) ?? type}`,
    mimeType,
    uri: `data:${mimeType};base64,${base64}`,
  });
}

/** File extensions that differ from the name of the media type. */
const extensions: ReadonlyMap<string, string> = new Map<string, string>(
  Object.entries({
    mpeg: 'mp3',
    'x-wav': 'wav',
    plain: 'txt',
    'octet-stream': 'bin',
  }),
);

/** Returns the text of a message for a model: its text blocks as they are, and a short description of other blocks. */
export const contentText = ({ content }: Pick<ChatMessage, 'content'>): string =>
  typeof content === 'string' ? content : content.map(blockText).join('\n');

/** Returns the text of one block for a model. */
export const blockText = (block: Block): string => (block.type === 'text' ? block.text : textOf({ content: [block] }));

/** Content that a `data:` URI contains. */
interface InlineContent {
  readonly mimeType: string;
  readonly base64: string;
}

/** Returns the content of a `data:` URI; undefined for every other address. */
export function inlineContent(uri: string): InlineContent | undefined {
  const [, mimeType = '', encoding, data = ''] = /^data:([^,;]*)(?:;[^,;]*)*?(;base64)?,(.*)$/s.exec(uri) ?? [];
  if (!uri.startsWith('data:')) return undefined;
  const base64 = encoding === undefined ? percentDecoded(data).toString('base64') : data;
  return { mimeType: mimeType === '' ? 'text/plain' : mimeType, base64 };
}

/** Returns the bytes that a text stands for; a `%` without two digits after it is one, as in browsers. */
const percentDecoded = (text: string): Buffer =>
  Buffer.from(
    Buffer.from(text)
      .toString('latin1')
      .replaceAll(/%([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
