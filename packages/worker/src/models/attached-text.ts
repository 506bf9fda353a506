import type { Attachment, Warning } from '@millrace/core';
import { attachedPath, isTextFile, markedEncoding } from '@millrace/core';
import { detect } from 'chardet';

/** A model to which attachments are shown. */
export interface Reader {
  /** Text is shown exactly as the original engine does. */
  readonly compat: boolean;
  readonly provider: string;
  /** Names of the tools that it has. */
  readonly tools: readonly string[];
  /** Receives warnings about what is shown. */
  readonly warn: (warning: Warning) => void;
}

/** Bytes of a text attachment that a model is shown. */
const shownBytes = 32 * 1024;
/** Characters that the original engine shows, and the size of a table above which it shows one to Gemini as text. */
const originalCharacters = 200_000;
const largeTableBytes = 3 * 1024 * 1024;
/** The longest that a character is in UTF-8. */
const characterBytes = 4;

/** Tools of Millrace that read on where the text was cut, the best one first. */
const readingTools = ['read_file_segment', 'read_text_file_snippet', 'read_file'];

/** Returns a text attachment as a model is shown it; undefined when it is no text. */
export function attachedText(attachment: Attachment, content: Uint8Array, reader: Reader): string | undefined {
  return reader.compat ? asOriginally(attachment, content, reader) : bounded(attachment, content, reader);
}

/** Returns the bytes that a text attachment comes to at most when it is shown; undefined when it may be no text. */
export function attachedTextBound({ size, ...attachment }: Attachment, { compat }: Reader): number | undefined {
  if (size === undefined || !(compat ? isTextOriginally(attachment) : isTextFile(attachment))) return undefined;
  // One byte of another encoding is up to three in UTF-8.
  return compat ? Math.min(size, originalCharacters * characterBytes) : Math.min(3 * size, shownBytes);
}

type AttachmentType = Pick<Attachment, 'name' | 'mimeType'>;

const isTextOriginally = ({ name, mimeType }: AttachmentType): boolean =>
  /^text\//i.test(mimeType) ||
  /^application\/(?:json|jsonl|(?:x-)?ndjson)$/i.test(mimeType) ||
  /\.(?:jsonl?|ndjson)$/i.test(name);

const isTable = ({ name, mimeType }: AttachmentType): boolean => /text\/csv/i.test(mimeType) || /\.csv$/i.test(name);

function asOriginally(attachment: Attachment, content: Uint8Array, { provider }: Reader): string | undefined {
  const isGemini = provider === 'gemini';
  // Gemini gets files as they are, but for tables that are too large for it.
  if (isGemini && (!isTable(attachment) || content.length <= largeTableBytes)) return undefined;
  if (!isGemini && !isTextOriginally(attachment)) return undefined;
  const { start, isCut } = firstCharacters(new TextDecoder('utf-8', { ignoreBOM: true }).decode(content));
  const note = isCut ? `\n\n[truncated after ${originalCharacters} characters]` : '';
  const name = attachment.name || attachment.id;
  if (isTable(attachment))
    return `CSV file '${name}'${isGemini ? ' (converted from >3MB upload)' : ''}:\n${start}${note}`;
  return `Text file '${name}' (${attachment.mimeType || 'text/*'}):\n\`\`\`text\n${start}\n\`\`\`${note}`;
}

/** The beginning of a text as the original engine cuts it: by code points. */
function firstCharacters(text: string): { readonly start: string; readonly isCut: boolean } {
  // Only a text with more units than that can have more characters.
  if (text.length <= originalCharacters) return { start: text, isCut: false };
  let end = 0;
  for (let count = 0; count < originalCharacters && end < text.length; count++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return { start: text.slice(0, end), isCut: end < text.length };
}

function bounded(attachment: Attachment, content: Uint8Array, reader: Reader): string | undefined {
  const isCut = content.length > shownBytes;
  const whole = decoded(attachment, content.subarray(0, shownBytes), { isCut, warn: reader.warn });
  if (whole === undefined) return undefined;
  const text = withinBytes(whole, shownBytes);
  const name = printable(attachment.name || attachment.id);
  const fence = fenceAround(text);
  const headline = `Text file '${name}' (${printable(attachment.mimeType)}, ${content.length} bytes):`;
  const shown = `${headline}\n${fence}text\n${text}\n${fence}`;
  return isCut ? `${shown}\n${cutNote(attachment, content.length, reader)}` : shown;
}

/** Encodings of texts without a mark that are guessed, by the names of the Encoding Standard. */
const guessable: ReadonlySet<string> = new Set([
  'ISO-8859-1',
  'windows-1252',
  'ISO-8859-2',
  'windows-1250',
  'windows-1251',
  'KOI8-R',
  'Shift_JIS',
  'EUC-JP',
  'EUC-KR',
  'Big5',
  'GB18030',
]);

/**
 * Decodes the beginning of a file: as its byte-order mark says, as UTF-8, or else, for a text, in the encoding that it most
 * likely has. A file of a type that says nothing is text when it is UTF-8 and holds no zero byte.
 */
function decoded(
  attachment: Attachment,
  start: Uint8Array,
  { isCut, warn }: { isCut: boolean } & Pick<Reader, 'warn'>,
) {
  const isNamedText = isTextFile(attachment);
  const mark = markedEncoding(start);
  if (!isNamedText && (attachment.mimeType !== 'application/octet-stream' || (mark === undefined && start.includes(0))))
    return undefined;
  try {
    // A character that the cut has split is left out.
    return new TextDecoder(mark ?? 'utf-8', { fatal: true }).decode(start, { stream: isCut });
  } catch {
    if (!isNamedText) return undefined;
  }
  const guess = detect(start) ?? '';
  const encoding = guessable.has(guess) ? guess : 'windows-1252';
  const name = printable(attachment.name || attachment.id);
  warn({
    code: 'W_TEXT_ENCODING_GUESSED',
    message: `The text of "${name}" is not UTF-8; it was read as ${encoding}. Save it as UTF-8.`,
  });
  return new TextDecoder(encoding).decode(start, { stream: isCut });
}

/** Returns the beginning of a text that has at most this many bytes in UTF-8. */
function withinBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  return bytes.length <= most ? text : new TextDecoder().decode(bytes.subarray(0, most), { stream: true });
}

/** A line of backticks that is nowhere in the text, so that nothing in it looks like its end. */
function fenceAround(text: string): string {
  let fence = '```';
  while (text.includes(fence)) fence += '`';
  return fence;
}

function cutNote(attachment: Attachment, total: number, { tools }: Reader): string {
  const path = attachedPath(attachment);
  const tool = readingTools.find((name) => tools.includes(name));
  const rest =
    path === undefined
      ? ''
      : ` The whole file is ${path} in the workspace${tool === undefined ? ', for programs and file tools' : `: read on with ${tool}`}.`;
  return `[cut: the first ${shownBytes} of ${total} bytes.${rest}]`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these have no place in a headline.
const printable = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f]/g, '_');
