import { inlineContent } from '@millrace/catalog';
import type { Attachment, Block, ChatMessage } from '@millrace/core';
import { NodeError, RequestError } from '@millrace/core';
import type { Blobs } from '@millrace/runtime';
import { attach, blobMissing, isStorageFailure } from '@millrace/runtime';
import { AttemptInterrupted } from '../context/interrupted.ts';
import type { Reader } from './attached-text.ts';
import { attachedText } from './attached-text.ts';

/**
 * Returns messages with the contents of their attachments, as providers send them: texts as text, everything else in its
 * address. Contents are read at the moment of the call, so that neither journal nor request ever holds them.
 */
export function withAttachmentContents(
  blobs: Blobs,
  messages: readonly ChatMessage[],
  reader: Reader,
): Promise<readonly ChatMessage[]> {
  return Promise.all(
    messages.map(async (message) =>
      typeof message.content === 'string'
        ? message
        : { ...message, content: await Promise.all(message.content.map((block) => withContent(blobs, block, reader))) },
    ),
  );
}

async function withContent(blobs: Blobs, block: Block, reader: Reader): Promise<Block> {
  if (!('attachment' in block)) return block;
  const { attachment } = block;
  const bytes = await contentOf(blobs, attachment);
  if (bytes === undefined) return block;
  const text = block.type === 'file' ? attachedText(attachment, bytes, reader) : undefined;
  if (text !== undefined) return { type: 'text', text };
  if (attachment.uri !== undefined) return block;
  const uri = `data:${attachment.mimeType};base64,${Buffer.from(bytes).toString('base64')}`;
  return { ...block, attachment: { ...attachment, uri } };
}

/** The content of an attachment that is in its address or among the blobs; undefined when it is elsewhere. */
async function contentOf(blobs: Blobs, { digest, uri, name }: Attachment): Promise<Uint8Array | undefined> {
  if (uri !== undefined) {
    const inline = inlineContent(uri);
    return inline && Buffer.from(inline.base64, 'base64');
  }
  if (digest === undefined) return undefined;
  const bytes = await blobs.get(digest);
  if (bytes !== undefined) return bytes;
  // A fault of this worker: another one may find it.
  const missing = blobMissing(digest, `The attachment "${name}"`);
  throw new AttemptInterrupted(missing.message, missing);
}

/** Blocks whose contents are among the blobs, and no longer in their addresses. Throws a NodeError when one is too large. */
export const storeAttachments = (blobs: Pick<Blobs, 'put'>, blocks: readonly Block[]): Promise<readonly Block[]> =>
  Promise.all(blocks.map((block) => withoutContent(blobs, block)));

/** Stores the contents of a step's result among the blobs, if it consists of blocks. */
export async function storeAttachmentsIn<T>(blobs: Pick<Blobs, 'put'>, value: T): Promise<T> {
  if (typeof value !== 'object' || value === null || !('content' in value) || !isBlocks(value.content)) return value;
  return { ...value, content: await storeAttachments(blobs, value.content) };
}

const isBlocks = (content: unknown): content is readonly Block[] =>
  Array.isArray(content) &&
  content.every((each: unknown) => typeof each === 'object' && each !== null && 'type' in each);

async function withoutContent(blobs: Pick<Blobs, 'put'>, block: Block): Promise<Block> {
  if (!('attachment' in block)) return block;
  const { uri, ...attachment } = block.attachment;
  const inline = uri === undefined ? undefined : inlineContent(uri);
  if (inline === undefined) return block;
  const bytes = Buffer.from(inline.base64, 'base64');
  const { name, mimeType } = attachment;
  try {
    return { ...block, attachment: { ...(await attach(blobs, { name, bytes, mimeType })) } };
  } catch (error) {
    throw error instanceof RequestError && !isStorageFailure(error) ? new NodeError(error.code, error.message) : error;
  }
}
