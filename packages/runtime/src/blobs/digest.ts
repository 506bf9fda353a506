import { createHash } from 'node:crypto';
import type { StoredContent } from '../ports/store/stored-bytes.ts';

/** The sha256 of contents in hex, which names them. */
export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Returns whether a text is a digest. Only digests may become paths or keys. */
export const isDigest = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

/** Passes pieces to the function that stores them, and returns their digest and size. */
export async function hashPieces(
  pieces: AsyncIterable<Uint8Array>,
  keep: (piece: Uint8Array) => unknown,
): Promise<StoredContent> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of pieces) {
    hash.update(piece);
    size += piece.length;
    await keep(piece);
  }
  return { digest: hash.digest('hex'), size };
}
