import { digestOf } from './digest.ts';
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
