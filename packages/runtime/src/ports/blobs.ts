import type { StoredContent } from './store/stored-bytes.ts';

/**
 * Store of contents that are too large for the journal, each under the SHA-256 hash of its bytes in hex (its digest):
 * attachments, files of workspaces, long messages. A blob is put before the commit that refers to it, so every
 * reference of a run is valid; a crash in between leaves a blob without references, which does no harm. Every adapter
 * passes the same contract suite (test/contract/blobs.ts).
 */
export interface Blobs {
  /**
   * Keeps contents for good once it returns, and gives their digest, which is not calculated again where the caller knows it. Putting
   * the same contents again changes nothing.
   */
  put(bytes: Uint8Array, digest?: string): Promise<string>;
  /** The same with contents that come in pieces. Throws what they throw, and keeps nothing then. */
  putPieces(pieces: AsyncIterable<Uint8Array>): Promise<StoredContent>;
  /** Undefined if no content with this digest exists, or if it is damaged. */
  get(digest: string): Promise<Uint8Array | undefined>;
  /**
   * Returns a part of an existing blob, in pieces: from the byte `from` (0: the first) up to before the byte `to`. Does
   * not check the content for damage.
   */
  read(digest: string, from: number, to: number): AsyncIterable<Uint8Array>;
  has(digest: string): Promise<boolean>;
  /** In bytes. */
  size(digest: string): Promise<number | undefined>;
  /**
   * Returns whether contents exist, and keeps them as if they had just been put, for a caller that is about to refer to
   * them.
   */
  touch(digest: string): Promise<boolean>;
  /**
   * Returns the digests of contents that were last put or touched at least so many milliseconds ago; the cost grows
   * with the number of all blobs.
   */
  idle(forMs: number): AsyncIterable<string>;
  /** Deletes contents that were neither put nor touched since then. */
  deleteIdle(digest: string, forMs: number): Promise<void>;
  /** Deletes contents without references. Deleting missing contents changes nothing. */
  delete(digest: string): Promise<void>;
}
