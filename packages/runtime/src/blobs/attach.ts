import type { Attachment } from '@millrace/core';
import { attachmentOf, maxAttachmentBytes, omitUndefined, RequestError } from '@millrace/core';
import type { Blobs } from '../ports/blobs.ts';

/** Stores a file as a blob, to be attached to a task or an answer. Throws RequestError when the file is too large. */
export async function attach(
  blobs: Blobs,
  { name, bytes, mimeType }: { readonly name: string; readonly bytes: Uint8Array; readonly mimeType?: string },
): Promise<Attachment> {
  const size = bytes.length;
  if (size > maxAttachmentBytes) {
    throw new RequestError(
      'ATTACHMENT_TOO_LARGE',
      `"${name}" has ${size.toLocaleString('en')} bytes; an attachment may have ${maxAttachmentBytes.toLocaleString('en')}.`,
    );
  }
  const digest = await blobs.put(bytes);
  return attachmentOf(name, omitUndefined({ digest, size, mimeType }));
}
