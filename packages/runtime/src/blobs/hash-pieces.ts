import { createHash } from 'node:crypto';
import type { StoredContent } from '../ports/blobs.ts';

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
