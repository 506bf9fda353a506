import type { S3Storage } from './location.ts';

/** Directory that all processes share. */
interface SharedDirectory {
  readonly type: 'directory';
  readonly path: string;
}

/** Location of archived runs. */
export type ArchiveLocation = SharedDirectory | S3Storage;

/** Location of large contents; the default is Redis. */
export type BlobLocation = { readonly type: 'redis' } | ArchiveLocation;

/** Locations of everything that an installation stores beside its Redis. */
export interface StorageLocations {
  readonly blobs?: BlobLocation | undefined;
  /** Absent: runs are not archived before they are removed. */
  readonly archive?: ArchiveLocation | undefined;
}
