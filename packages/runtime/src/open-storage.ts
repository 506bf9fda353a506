import { createDirectoryArchive } from './adapters/directory/directory-archive.ts';
import { createDirectoryBlobs } from './adapters/directory/directory-blobs.ts';
import type { Report } from './adapters/redis/connection/report.ts';
import type { Shard } from './adapters/redis/connection/shard.ts';
import { createRedisBlobs } from './adapters/redis/redis-blobs.ts';
import type { Bucket } from './adapters/s3/bucket.ts';
import { checkBucket, openBucket } from './adapters/s3/bucket.ts';
import type { ArchiveLocation, BlobLocation, S3Storage, StorageLocations } from './adapters/s3/location.ts';
import { createS3Archive } from './adapters/s3/s3-archive.ts';
import { createS3Blobs } from './adapters/s3/s3-blobs.ts';
import type { CopiedBlobs } from './blobs/copy-blobs.ts';
import { copyBlobs } from './blobs/copy-blobs.ts';
import { pathUnwritable, probeDirectory } from './files/path-unwritable.ts';
import type { ArchiveStore } from './ports/archive-store.ts';
import type { Blobs } from './ports/blobs.ts';

/** Everything that an installation stores beside its Redis. */
export interface Storage {
  readonly blobs: Blobs;
  readonly archive?: ArchiveStore;
  /** Writes, reads and deletes a probe where that is not Redis. Throws RequestError. */
  check(): Promise<void>;
  /** Copies all contents of another location that are missing here. */
  copyFrom(location: BlobLocation, onProgress: (sofar: CopiedBlobs) => void): Promise<CopiedBlobs>;
  /** Deletes what processes have left behind; absent where they leave nothing. */
  readonly sweep?: (signal: AbortSignal) => Promise<void>;
  close(): Promise<void>;
}

/** Opens the storage of an installation; S3 is reached when it is first used. */
export function openStorage(
  shard: Shard,
  { blobs = { type: 'redis' }, archive }: StorageLocations,
  report: Report,
): Storage {
  const buckets: Bucket[] = [];
  const open = ({ location }: S3Storage): Bucket => {
    const bucket = openBucket(location, report);
    buckets.push(bucket);
    return bucket;
  };
  const { sweepObjects: sweep, ...stored } = openBlobs(shard, blobs, open);
  return {
    blobs: stored,
    ...(archive === undefined ? {} : { archive: openArchive(archive, open) }),
    ...(sweep === undefined ? {} : { sweep: (signal: AbortSignal) => sweep(signal) }),
    async check() {
      await Promise.all([...buckets.map(checkBucket), ...directoriesIn([blobs, archive]).map(checkDirectory)]);
    },
    copyFrom: (location, onProgress) => copyBlobs(openBlobs(shard, location, open), stored, onProgress),
    async close() {
      await Promise.all(buckets.map((bucket) => bucket.close()));
    },
  };
}

const directoriesIn = (locations: readonly (BlobLocation | undefined)[]): readonly string[] =>
  locations.flatMap((location) => (location?.type === 'directory' ? [location.path] : []));

const checkDirectory = (path: string): Promise<void> => probeDirectory(path).catch(pathUnwritable(path));

type OpenBucket = (storage: S3Storage) => Bucket;

function openBlobs(
  shard: Shard,
  location: BlobLocation,
  open: OpenBucket,
): Blobs & { readonly sweepObjects?: (signal: AbortSignal) => Promise<void> } {
  if (location.type === 'redis') return createRedisBlobs(shard);
  if (location.type === 'directory') return createDirectoryBlobs(location.path);
  return createS3Blobs({ shard, bucket: open(location), spool: location.spool });
}

function openArchive(location: ArchiveLocation, open: OpenBucket): ArchiveStore {
  if (location.type === 'directory') return createDirectoryArchive(location.path);
  return createS3Archive(open(location), location.spool);
}
