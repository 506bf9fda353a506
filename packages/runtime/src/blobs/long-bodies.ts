import type { MessageBody } from '@millrace/core';
import { messageSize, RequestError } from '@millrace/core';
import type { Blobs } from '../ports/blobs.ts';
import type { StoredBody } from '../ports/store/port.ts';

/** Characters up to which a message is kept beside its run; a longer one is a blob. */
const maxInlineChars = 64 * 1024;

/** Returns whether a message must be stored as a blob before its commit. */
export const isLongBody = (body: MessageBody): boolean => messageSize(body) > maxInlineChars;

/** Returns a message as its blob contains it, in UTF-8. */
export const encodeLongBody = (body: MessageBody): string => JSON.stringify(body);

/**
 * Returns a message as it was before its commit. Throws RequestError when its blob cannot be found from this process.
 */
export async function loadBody(blobs: Blobs, stored: StoredBody): Promise<MessageBody> {
  if (!('blob' in stored)) return stored;
  const bytes = await blobs.get(stored.blob);
  if (bytes === undefined) throw blobMissing(stored.blob, 'A message');
  return JSON.parse(Buffer.from(bytes).toString('utf8')) as MessageBody; // put by `putLong`, under the hash of its content
}

/** Returns the error of a process that cannot find content which a run refers to. `what` begins the sentence. */
export const blobMissing = (digest: string, what: string): RequestError =>
  new RequestError(
    'BLOB_MISSING',
    `${what} is not in the blob store of this process (sha256 ${digest}). All processes of an installation must use the same one: set MILLRACE_BLOBS to the same value everywhere.`,
  );
