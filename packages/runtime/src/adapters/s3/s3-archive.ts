import type { ArchiveFile } from '../../journal/archive/archive-file.ts';
import type { ArchiveStore } from '../../ports/archive-store.ts';
import { archiveName } from '../../ports/archive-store.ts';
import type { Bucket } from './bucket.ts';
import { openBucket } from './bucket.ts';
import type { S3Storage } from './location.ts';
import { withSpooledFile } from './spool.ts';

/** Stores archives as objects; `spool` is a directory for them until they are sent. */
export const createS3Archive = (bucket: Bucket, spool: string): ArchiveStore => ({
  put: (run, pieces) => withSpooledFile(spool, pieces, (contents) => bucket.put(archiveName(run), contents)),
});

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
