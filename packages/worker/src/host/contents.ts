import type { Block, ChatMessage } from '@millrace/core';
import type { Blobs } from '@millrace/runtime';
import { blobMissing } from '@millrace/runtime';
import { Interrupted } from './interrupted.ts';

/**
 * Messages with the contents of their attachments, as providers send them: what is among the blobs is read at the moment
 * of the call, so that neither journal nor request ever holds it.
 */
export function withContents(blobs: Blobs, messages: readonly ChatMessage[]): Promise<readonly ChatMessage[]> {
  return Promise.all(
    messages.map(async (message) =>
      typeof message.content === 'string'
        ? message
        : { ...message, content: await Promise.all(message.content.map((block) => withContent(blobs, block))) },
    ),
  );
}

async function withContent(blobs: Blobs, block: Block): Promise<Block> {
  if (!('attachment' in block)) return block;
  const { digest, uri, mimeType, name } = block.attachment;
  if (digest === undefined || uri !== undefined) return block;
  const bytes = await blobs.get(digest);
  if (bytes === undefined) {
    // The worker's own trouble: another one may find it.
    const missing = blobMissing(digest, `The attachment "${name}"`);
    throw new Interrupted(missing.message, missing);
  }
  const data = `data:${mimeType};base64,${Buffer.from(bytes).toString('base64')}`;
  return { ...block, attachment: { ...block.attachment, uri: data } };
}
