import type { Attachment } from '@millrace/core';
import { attachmentOf, maxAttachmentBytes, omitUndefined, RequestError } from '@millrace/core';
import type { Blobs } from '../ports/blobs.ts';
import { digestOf } from './digest.ts';
import { blobMissing } from './long-bodies.ts';

/** Contents that can be read in parts; the size in bytes. */
export interface Content {
  readonly name: string;
  readonly mimeType: string;
  readonly size: number;
  /** The sha256 of all of it, in hex. */
  readonly digest: string;
  /** From the byte `from` (0: the first) up to before the byte `to`. */
  read(from: number, to: number): AsyncIterable<Uint8Array>;
}

/** Contents that are made while they are sent, and can be read once, from the beginning. */
export interface ContentStream {
  readonly name: string;
  readonly mimeType: string;
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** Returns the content of a blob. Throws RequestError when it cannot be found from this process. */
export async function contentOf(
  blobs: Pick<Blobs, 'size' | 'read'>,
  { name, mimeType, digest }: Pick<Content, 'name' | 'mimeType' | 'digest'>,
): Promise<Content> {
  const size = await blobs.size(digest);
  if (size === undefined) throw blobMissing(digest, `The file "${name}"`);
  return { name, mimeType, size, digest, read: (from, to) => blobs.read(digest, from, to) };
}

/** Returns the content of a text. */
export function textContent(name: string, text: string): Content {
  const bytes = Buffer.from(text);
  return {
    name,
    mimeType: 'text/plain; charset=utf-8',
    size: bytes.length,
    digest: digestOf(bytes),
    async *read(from, to) {
      yield bytes.subarray(from, to);
    },
  };
}

/** Stores a file as a blob, to be attached to a task or an answer. Throws RequestError when the file is too large. */
export async function attach(
  blobs: Pick<Blobs, 'put'>,
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
