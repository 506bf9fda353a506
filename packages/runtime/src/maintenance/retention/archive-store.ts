import { join } from 'node:path';
import type { RunId } from '@millrace/core';
import { writeWhole } from '../../adapters/directory/write-whole.ts';
import { withSpooledFile } from '../../adapters/s3/blobs/spool.ts';
import type { Bucket } from '../../adapters/s3/bucket.ts';
import { openBucket } from '../../adapters/s3/bucket.ts';
import type { S3Storage } from '../../adapters/s3/location.ts';
import type { ArchiveFile } from '../../journal/archive/archive-file.ts';

/** Store of archived runs, each under its id. */
export interface ArchiveStore {
  /** Stores the archive of a run for good; replaces one of the same run. */
  put(run: RunId, pieces: AsyncIterable<Uint8Array>): Promise<void>;
}

/** Stores archives as files of a directory. */
export const createDirectoryArchive = (directory: string): ArchiveStore => ({
  put: (run, pieces) =>
    writeWhole(join(directory, archiveName(run)), join(directory, 'drafts'), async (file) => {
      for await (const piece of pieces) await file.appendFile(piece);
    }),
});

/** Stores archives as objects; `spool` is a directory for them until they are sent. */
export const createS3Archive = (bucket: Bucket, spool: string): ArchiveStore => ({
  put: (run, pieces) => withSpooledFile(spool, pieces, (contents) => bucket.put(archiveName(run), contents)),
});

/** Callers choose ids, too; an id must not name a path outside of the directory. */
const archiveName = (run: RunId): string => `${encodeURIComponent(run)}.jsonl`;

/** Returns the archived run in an object. */
export const s3Archive = ({ location }: S3Storage, key: string): ArchiveFile => ({
  name: `s3://${location.bucket}/${location.prefix}${key}`,
  async *open() {
    const bucket = openBucket(location, () => undefined);
    try {
      yield* bucket.read(key);
    } finally {
      await bucket.close();
    }
  },
});
