import { digestOf, hashPieces } from '../../blobs/digest.ts';
import type { Blobs } from '../../ports/blobs.ts';

/** Blobs that live and die with the process. */
export function createMemoryBlobs(): Blobs {
  const blobs = new Map<string, Uint8Array>();
  const touched = new Map<string, number>();
  const isIdle = (digest: string, forMs: number) => (touched.get(digest) ?? 0) <= Date.now() - forMs;
  return {
    async put(bytes, digest = digestOf(bytes)) {
      touched.set(digest, Date.now());
      // A copy: the caller may write into its bytes again.
      if (!blobs.has(digest)) blobs.set(digest, Uint8Array.from(bytes));
      return digest;
    },
    async putPieces(pieces) {
      const held: Uint8Array[] = [];
      const kept = await hashPieces(pieces, (piece) => held.push(Uint8Array.from(piece)));
      touched.set(kept.digest, Date.now());
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
    async touch(digest) {
      if (blobs.has(digest)) touched.set(digest, Date.now());
      return blobs.has(digest);
    },
    async *idle(forMs) {
      for (const digest of blobs.keys()) if (isIdle(digest, forMs)) yield digest;
    },
    async deleteIdle(digest, forMs) {
      if (isIdle(digest, forMs)) blobs.delete(digest);
    },
    async delete(digest) {
      blobs.delete(digest);
    },
  };
}
