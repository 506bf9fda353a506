import { digestOf } from './digest.ts';
import { measured } from './measured.ts';
import type { Blobs } from './port.ts';

/** Blobs that live and die with the process. */
export function createMemoryBlobs(): Blobs {
  const blobs = new Map<string, Uint8Array>();
  return {
    async put(bytes) {
      const digest = digestOf(bytes);
      // A copy: whoever gave the bytes may write into them again.
      if (!blobs.has(digest)) blobs.set(digest, Uint8Array.from(bytes));
      return digest;
    },
    async putPieces(pieces) {
      const held: Uint8Array[] = [];
      const kept = await measured(pieces, (piece) => held.push(Uint8Array.from(piece)));
      if (!blobs.has(kept.digest)) blobs.set(kept.digest, Uint8Array.from(Buffer.concat(held)));
      return kept;
    },
    async *read(digest, from, to) {
      const part = blobs.get(digest)?.slice(from, to);
      if (part !== undefined && part.length > 0) yield part;
    },
    async get(digest) {
      const bytes = blobs.get(digest);
      return bytes === undefined ? undefined : Uint8Array.from(bytes);
    },
    has: async (digest) => blobs.has(digest),
    size: async (digest) => blobs.get(digest)?.length,
    async delete(digest) {
      blobs.delete(digest);
    },
  };
}
