import type { FileChange } from '../workspace.ts';
import { attachmentFolder } from '../workspace.ts';
import type { Attachment, Block, DataBlock, Message, MessageBody } from './message.ts';

/** Maximum size of an attached file, in bytes. */
export const maxAttachmentBytes = 32 * 1024 * 1024;

/** Returns the attachment of a blob. Its type is derived from the name if it is not given. */
export function attachmentOf(
  name: string,
  {
    digest,
    size,
    mimeType = mimeTypeOf(name),
  }: { readonly digest: string; readonly size: number; readonly mimeType?: string },
): Attachment & { readonly digest: string; readonly size: number } {
  return { id: digest.slice(0, 32), name, mimeType, size, digest };
}

/** Returns an attachment as a block of a message, by its media type. */
export function attachmentBlock(attachment: Attachment): Block {
  const kind = attachment.mimeType.split('/')[0];
  return { type: kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'file', attachment };
}

/** Returns a person's message with files: the text, unless it is empty, or the data, and then the files in order. */
export function messageWithAttachments(
  given: string | DataBlock,
  attachments: readonly Attachment[],
  source: string,
): Message {
  const files = attachments.map(attachmentBlock);
  return { role: 'user', content: contentOf(given, files), source, keep: false };
}

function contentOf(given: string | DataBlock, files: readonly Block[]): Message['content'] {
  if (typeof given !== 'string') return [given, ...files];
  if (files.length === 0) return given;
  return given === '' ? files : [{ type: 'text', text: given }, ...files];
}

/** Returns the attachments of a message. */
export const attachmentsOf = ({ content }: Pick<MessageBody, 'content'>): readonly Attachment[] =>
  typeof content === 'string' ? [] : content.flatMap((block) => ('attachment' in block ? [block.attachment] : []));

/** A text file that is attached to a message, with its content among the blobs. */
export interface StoredTextFile {
  readonly type: 'file';
  readonly attachment: Omit<Attachment, 'uri'> & { readonly size: number; readonly digest: string };
}

/**
 * Returns the text files that are attached to messages, each once, as references, so that forwarding them stores no
 * content again.
 */
export function storedTextFilesOf(messages: readonly Pick<MessageBody, 'content'>[]): readonly StoredTextFile[] {
  const files = new Map<string, StoredTextFile>();
  for (const { id, name, mimeType, size, digest, uri } of textFilesOf(messages).map((block) => block.attachment)) {
    if (uri !== undefined || digest === undefined || size === undefined) continue;
    files.set(id, { type: 'file', attachment: { id, name, mimeType, size, digest } });
  }
  return [...files.values()];
}

/** Returns the text files that are attached to messages. */
export const textFilesOf = (messages: readonly Pick<MessageBody, 'content'>[]) =>
  messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content.filter(isFile)).filter(isText));

type AttachedBlock = Extract<Block, { readonly attachment: Attachment }>;

const isFile = (block: Block): block is AttachedBlock => block.type === 'file';
const isText = ({ attachment }: AttachedBlock): boolean => isTextFile(attachment);

/** Returns the content of a message with a text and files. */
export const contentWithFiles = (text: string, files: readonly Block[]): MessageBody['content'] =>
  files.length === 0 ? text : [{ type: 'text', text }, ...files];

/**
 * Returns the path of an attachment in a workspace, `attachments/<id>/<name>`; undefined if its content is not a blob.
 */
export const attachedPath = ({ id, name, digest, size }: Attachment): string | undefined =>
  digest === undefined || size === undefined
    ? undefined
    : `${attachmentFolder}/${safeFileName(id)}/${safeFileName(name)}`;

/**
 * Returns attachments as files of a workspace, without those whose content is not a blob. `at`: milliseconds since
 * 1970.
 */
export const attachedFiles = (bodies: readonly Pick<MessageBody, 'content'>[], at: number): readonly FileChange[] =>
  bodies.flatMap(attachmentsOf).flatMap((attachment) => {
    const path = attachedPath(attachment);
    const { digest, size } = attachment;
    if (path === undefined || digest === undefined || size === undefined) return [];
    return [{ path, file: { digest, size, modifiedAt: at } }];
  });

const textTypes =
  /^(?:text\/.*|application\/(?:.*\+)?(?:json|xml|yaml|x-yaml|toml|javascript|sql|x-sh|jsonl|(?:x-)?ndjson))(?:;.*)?$/i;

/** Tells by its type and name if an attachment is text. */
export const isTextFile = ({ name, mimeType }: Pick<Attachment, 'name' | 'mimeType'>): boolean =>
  textTypes.test(mimeType) || /\.(?:jsonl?|ndjson)$/i.test(name);

/** Returns the last part of a path without characters that could lead elsewhere. */
const safeFileName = (name: string): string => {
  const last = name.split(/[\\/]/).at(-1) ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are not allowed in file names.
  const plain = endOf(last.replaceAll(/[\u0000-\u001f\u007f]/g, '_'));
  return plain === '' || plain === '.' || plain === '..' ? '_' : plain;
};

/** Most bytes of the name of a file in UTF-8: file systems take 255, with what is added to the names of drafts. */
const mostNameBytes = 200;

/** Returns the end of a name that a file system takes. */
function endOf(name: string): string {
  const kept: string[] = [];
  let bytes = 0;
  for (const character of [...name].reverse()) {
    bytes += bytesOf(character.codePointAt(0) ?? 0);
    if (bytes > mostNameBytes) break;
    kept.push(character);
  }
  return kept.reverse().join('');
}

/** Returns the number of bytes of a character in UTF-8. */
function bytesOf(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

/**
 * Returns the media type of a file name. Messages store it, so nodes, artifacts and uploads must derive the same one. The
 * table is in the core, which depends on zod and yaml only; a library's list would also change stored types with its updates.
 */
export const mimeTypeOf = (path: string): string =>
  types.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase()) ?? 'application/octet-stream';

const types: ReadonlyMap<string, string> = new Map(
  Object.entries({
    css: 'text/css',
    csv: 'text/csv',
    gif: 'image/gif',
    htm: 'text/html',
    html: 'text/html',
    jpeg: 'image/jpeg',
    jpg: 'image/jpeg',
    js: 'text/javascript',
    json: 'application/json',
    md: 'text/markdown',
    mov: 'video/quicktime',
    mp3: 'audio/mpeg',
    mp4: 'video/mp4',
    pdf: 'application/pdf',
    png: 'image/png',
    py: 'text/x-python',
    svg: 'image/svg+xml',
    tsv: 'text/tab-separated-values',
    txt: 'text/plain',
    wav: 'audio/wav',
    webm: 'video/webm',
    webp: 'image/webp',
    xml: 'text/xml',
    yaml: 'application/yaml',
    yml: 'application/yaml',
  }),
);
