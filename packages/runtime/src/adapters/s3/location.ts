/** Location of objects: a bucket of an S3-compatible store, and the beginning of their keys. */
export interface S3Location {
  readonly bucket: string;
  /** Begins all keys: empty, or a path that ends with a slash. */
  readonly prefix: string;
  readonly region: string;
  /** Origin of the store, such as `http://minio:9000`; absent: Amazon S3 in the region. */
  readonly endpoint?: string;
  /** The bucket is the first part of the path, not a part of the host name. */
  readonly pathStyle: boolean;
  readonly credentials: S3Credentials;
}

/** Objects of an S3 store, and the directory for contents until they are sent there. */
export interface S3Storage {
  readonly type: 's3';
  readonly location: S3Location;
  readonly spool: string;
}

/** Keys for requests, or the identity in whose name keys are requested. */
export type S3Credentials = S3Keys | WebIdentity;

/** Keys with which requests are signed. */
export interface S3Keys {
  readonly type: 'keys';
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Identity of a workload, as Kubernetes writes it in a file. */
export interface WebIdentity {
  readonly type: 'web-identity';
  readonly roleArn: string;
  readonly tokenFile: string;
  readonly sessionName: string;
  /** URL of the token service; absent: that of Amazon in the region. */
  readonly tokenService?: string;
}

/** Returns a location as people write it, without what keys and options it has. */
export const describeLocation = ({ bucket, prefix, endpoint }: S3Location): string =>
  `s3://${bucket}/${prefix}${endpoint === undefined ? '' : ` at ${endpoint}`}`;

/** Returns the URL of an object; an empty key is that of the bucket. */
export function objectUrl({ bucket, prefix, region, endpoint, pathStyle }: S3Location, key: string): URL {
  const origin = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  if (!pathStyle) origin.host = `${bucket}.${origin.host}`;
  const path = `${prefix}${key}`.split('/').map(encoded).join('/');
  origin.pathname = pathStyle ? `/${bucket}/${path}` : `/${path}`;
  return origin;
}

/** Encodes a name as the signature of a request has it. */
const encoded = (name: string): string =>
  encodeURIComponent(name).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

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
