import { constants, createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';

/**
 * Reads a file of at most so many bytes; undefined if it is larger. Its size is not trusted: a file may grow while it is
 * read, and a device such as /dev/zero reports none and never ends. A pipe without a writer is empty.
 */
export async function readFileUpTo(path: string, maxBytes: number): Promise<Buffer | undefined> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  // Streams are opened with numbers, too, as files are; the types know texts only.
  const bytes = await buffer(createReadStream(path, { flags: flags as unknown as string, end: maxBytes }));
  return bytes.length > maxBytes ? undefined : bytes;
}
