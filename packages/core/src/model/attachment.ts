import type { Attachment, Block, Message, MessageBody } from './message.ts';
import { mimeTypeOf } from './mime-type.ts';
import type { FileChange } from './workspace.ts';
import { attachmentFolder } from './workspace.ts';

/** Bytes that a file may have to be attached to a message. */
export const maxAttachmentBytes = 32 * 1024 * 1024;

/** Contents among the blobs as an attachment. The type is that of the name where it is not given. */
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

/** An attachment as the part of a message that it is, by its type. */
export function attachmentBlock(attachment: Attachment): Block {
  const kind = attachment.mimeType.split('/')[0];
  return { type: kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'file', attachment };
}

/** A person's message with files: the text, unless there is none, and then the files in order. */
export function messageWithAttachments(text: string, attachments: readonly Attachment[], source: string): Message {
  const said: readonly Block[] = text === '' && attachments.length > 0 ? [] : [{ type: 'text', text }];
  const content = attachments.length === 0 ? text : [...said, ...attachments.map(attachmentBlock)];
  return { role: 'user', content, source, keep: false };
}

/** The attachments of a message. */
export const attachmentsOf = ({ content }: Pick<MessageBody, 'content'>): readonly Attachment[] =>
  typeof content === 'string' ? [] : content.flatMap((block) => ('attachment' in block ? [block.attachment] : []));

/** A text file that is attached to a message and has its content among the blobs. */
export interface StoredTextFile {
  readonly type: 'file';
  readonly attachment: Omit<Attachment, 'uri'> & { readonly size: number; readonly digest: string };
}

/** Returns the text files that are attached to messages, each once, as references: to hand them on stores no content again. */
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

/** Returns a text with files beside it, as a message has it. */
export const contentWithFiles = (text: string, files: readonly Block[]): MessageBody['content'] =>
  files.length === 0 ? text : [{ type: 'text', text }, ...files];

/** The path of an attachment in a workspace, `attachments/<id>/<name>`; undefined when its content is not among the blobs. */
export const attachedPath = ({ id, name, digest, size }: Attachment): string | undefined =>
  digest === undefined || size === undefined ? undefined : `${attachmentFolder}/${safe(id)}/${safe(name)}`;

/** The files that attachments are in a workspace. Those that are not among the blobs are none. */
export const attachedFiles = (bodies: readonly Pick<MessageBody, 'content'>[], at: number): readonly FileChange[] =>
  bodies.flatMap(attachmentsOf).flatMap((attachment) => {
    const path = attachedPath(attachment);
    const { digest, size } = attachment;
    if (path === undefined || digest === undefined || size === undefined) return [];
    return [{ path, file: { digest, size, modifiedAt: at } }];
  });

const textTypes =
  /^(?:text\/.*|application\/(?:.*\+)?(?:json|xml|yaml|x-yaml|toml|javascript|sql|x-sh|jsonl|(?:x-)?ndjson))(?:;.*)?$/i;

/** Tells by its type and name whether an attachment is text. */
export const isTextFile = ({ name, mimeType }: Pick<Attachment, 'name' | 'mimeType'>): boolean =>
  textTypes.test(mimeType) || /\.(?:jsonl?|ndjson)$/i.test(name);

/** A part of a path that stays where it is put, whatever somebody has named a file. */
const safe = (name: string): string => {
  const last = name.split(/[\\/]/).at(-1) ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these have no place in the name of a file.
  const plain = last.replaceAll(/[\u0000-\u001f\u007f]/g, '_').slice(-200);
  return plain === '' || plain === '.' || plain === '..' ? '_' : plain;
};
