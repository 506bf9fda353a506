import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RequestError } from '@millrace/core';
import { hashPieces } from '../../blobs/digest.ts';
import { makeDirectory } from '../../files/make-directory.ts';
import type { ObjectContents } from './bucket.ts';

/**
 * Writes pieces to a file of this machine, and passes it on with its digest and size: an object is written with one
 * request, which begins with them. The file has no name any more while it is used, so a crash leaves nothing. Throws
 * what the pieces throw, and RequestError when the file cannot be written.
 */
export async function withSpooledFile<T>(
  directory: string,
  pieces: AsyncIterable<Uint8Array>,
  use: (contents: ObjectContents) => Promise<T>,
): Promise<T> {
  const file = await openUnnamed(directory);
  try {
    const stored = await hashPieces(pieces, (piece) => file.writeFile(piece).catch(unwritable(directory)));
    return await use({ ...stored, source: file });
  } finally {
    await file.close();
  }
}

async function openUnnamed(directory: string): Promise<FileHandle> {
  try {
    const path = join(directory, randomUUID());
    await makeDirectory(directory, 0o700);
    const file = await open(path, 'wx+', 0o600);
    await rm(path);
    return file;
  } catch (error) {
    return unwritable(directory)(error);
  }
}

const unwritable =
  (directory: string) =>
  (error: unknown): never => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RequestError(
      'S3_SPOOL',
      `Contents cannot be written to ${directory} before they are sent to S3: ${reason}. Let this process write there, or free space on its disk.`,
    );
  };
