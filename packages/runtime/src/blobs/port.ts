/**
 * Contents that are too large for the journal, each under the sha256 of its bytes in hex (its digest): attachments,
 * files of workspaces, long messages. They are put before the commit that refers to them, so what a run refers to is
 * always there; what a crash leaves in between is referred to by nobody and does no harm.
 * Every adapter passes the same contract suite (test/contract/blobs.ts).
 */
export interface Blobs {
  /** Keeps contents for good once it returns, and gives their digest. Putting the same contents again changes nothing. */
  put(bytes: Uint8Array): Promise<string>;
  /** The same with contents that come in pieces. Throws what they throw, and keeps nothing then. */
  putPieces(pieces: AsyncIterable<Uint8Array>): Promise<StoredContent>;
  /** Undefined when nothing with this digest is there, or when what is there is damaged. */
  get(digest: string): Promise<Uint8Array | undefined>;
  /**
   * A part of contents that are there, in pieces: from the byte `from` (0: the first) up to before the byte `to`. Whether
   * they are damaged is not looked at.
   */
  read(digest: string, from: number, to: number): AsyncIterable<Uint8Array>;
  has(digest: string): Promise<boolean>;
  /** In bytes. */
  size(digest: string): Promise<number | undefined>;
  /** Says whether contents are there, and has them kept as if they had just been put: for who is about to refer to them. */
  touch(digest: string): Promise<boolean>;
  /** Digests of what was put and touched last so long ago, or longer, in milliseconds; costs a look at all that there is. */
  idle(forMs: number): AsyncIterable<string>;
  /** Deletes contents unless somebody has put or touched them since then. */
  deleteIdle(digest: string, forMs: number): Promise<void>;
  /** Deletes contents that nobody refers to any more. Deleting what is not there changes nothing. */
  delete(digest: string): Promise<void>;
}

/** Digest and size in bytes of stored content. */
export interface StoredContent {
  readonly digest: string;
  readonly size: number;
}
