import type { Blobs } from '../ports/blobs.ts';
import type { BlobOperation, Instrumentation } from './instrumentation.ts';

/** Returns blobs whose operations are observed. */
export function measureBlobs(blobs: Blobs, observer: Pick<Required<Instrumentation>, 'blob'>): Blobs {
  async function timed<T>(operation: BlobOperation, work: () => Promise<T>): Promise<T> {
    const end = observer.blob(operation);
    try {
      return await work();
    } finally {
      end();
    }
  }
  return {
    ...blobs,
    put: (bytes, digest) => timed('put', () => blobs.put(bytes, digest)),
    putPieces: (pieces) => timed('put', () => blobs.putPieces(pieces)),
    get: (digest) => timed('get', () => blobs.get(digest)),
    async *read(digest, from, to) {
      const end = observer.blob('read');
      try {
        yield* blobs.read(digest, from, to);
      } finally {
        end();
      }
    },
    deleteIdle: (digest, forMs) => timed('delete', () => blobs.deleteIdle(digest, forMs)),
    delete: (digest) => timed('delete', () => blobs.delete(digest)),
  };
}
