import { createHash } from 'node:crypto';
import { digestOf, isDigest } from '../../blobs/digest.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { Shard } from '../redis/connection/shard.ts';
import type { Bucket, ObjectContents } from './bucket.ts';
import type { ObjectIndex } from './object-index.ts';
import { createObjectIndex, objectName } from './object-index.ts';
import { withSpooledFile } from './spool.ts';

/** Blobs as objects of an S3 store, which must be swept now and then. */
export interface S3Blobs extends Blobs {
  /** Deletes objects that processes have left behind: uploads that began so long ago, and failed deletions. */
  sweepObjects(signal: AbortSignal, uploadsOlderThanMs?: number): Promise<void>;
}

/** Options of {@link createS3Blobs}. */
export interface S3BlobsOptions {
  /** Redis with the index of the objects. */
  readonly shard: Shard;
  readonly bucket: Bucket;
  /** Directory for contents that arrive in pieces, until they are sent. */
  readonly spool: string;
}

/** Time that an upload may take, in milliseconds; after it, its object is deleted. */
const longestUploadMs = 6 * 60 * 60_000;
/** Attempts to put contents whose object is deleted under each of them. */
const maxPuts = 5;

/** Creates blobs in a bucket: `<digest>.<generation>`; their times and generations are in Redis, see object-index.ts. */
export function createS3Blobs({ shard, bucket, spool }: S3BlobsOptions): S3Blobs {
  const index = createObjectIndex(shard);
  const place = { index, bucket };
  const remove = async (digest: string, idleForMs?: number): Promise<void> => {
    const name = isDigest(digest) ? await index.remove(digest, idleForMs) : undefined;
    if (name !== undefined) await discard(place, name);
  };
  return {
    async put(bytes, known) {
      // A copy: the caller may write into the bytes before they are sent.
      const source = Uint8Array.from(bytes);
      const digest = known ?? digestOf(source);
      await putContents(place, { digest, size: source.length, source });
      return digest;
    },
    putPieces: (pieces) =>
      withSpooledFile(spool, pieces, async (contents) => {
        await putContents(place, contents);
        return { digest: contents.digest, size: contents.size };
      }),
    get: (digest) => readWhole(place, digest),
    async *read(digest, from, to) {
      const object = isDigest(digest) ? await index.find(digest) : undefined;
      if (object === undefined || from >= Math.min(to, object.size)) return;
      yield* bucket.read(objectName(digest, object.generation), from, Math.min(to, object.size));
    },
    has: async (digest) => isDigest(digest) && (await index.find(digest)) !== undefined,
    size: async (digest) => (isDigest(digest) ? (await index.find(digest))?.size : undefined),
    touch: async (digest) => isDigest(digest) && index.touch(digest),
    idle: (forMs) => index.idle(forMs),
    deleteIdle: remove,
    delete: (digest) => remove(digest),
    async sweepObjects(signal, uploadsOlderThanMs = longestUploadMs) {
      const began = performance.now();
      for (;;) {
        const names = await index.abandon(uploadsOlderThanMs + performance.now() - began);
        for (const name of names) {
          if (signal.aborted) return;
          await deleteObject(place, name);
        }
        if (names.length === 0) return;
      }
    },
  };
}

interface Place {
  readonly index: ObjectIndex;
  readonly bucket: Bucket;
}

async function deleteObject({ index, bucket }: Place, name: string, repeatsForMs?: number): Promise<void> {
  await bucket.delete(name, repeatsForMs);
  await index.deleted(name);
}

/** Deletes an object that nothing names any more if that succeeds at once; otherwise a sweep does. */
const discard = (place: Place, name: string): Promise<void> => deleteObject(place, name, 0).catch(() => undefined);

async function putContents(place: Place, contents: ObjectContents): Promise<void> {
  for (let puts = 0; puts < maxPuts; puts++) if (await putOnce(place, contents)) return;
  throw new Error(`The contents ${contents.digest} were deleted ${maxPuts} times while they were put.`);
}

/** Returns false when the contents were removed meanwhile. */
async function putOnce(place: Place, contents: ObjectContents): Promise<boolean> {
  const { index, bucket } = place;
  const { digest, size } = contents;
  const found = await index.begin(digest);
  if ('upload' in found) return upload(place, contents, { generation: found.upload });
  if ((await bucket.size(objectName(digest, found.generation))) === size) return true;
  // The object may have been removed, as it should be, since its entry was read.
  if ((await index.find(digest))?.generation !== found.generation) return false;
  return upload(place, contents, { generation: await index.beginAgain(digest), replaces: found.generation });
}

/** Returns false when the upload took so long that it was given up. */
async function upload(
  place: Place,
  contents: ObjectContents,
  { generation, replaces }: { readonly generation: string; readonly replaces?: string },
): Promise<boolean> {
  const { digest, size } = contents;
  const name = objectName(digest, generation);
  await place.bucket.put(name, contents);
  const outcome = await place.index.publish(digest, { generation, size }, replaces);
  const needless = outcome === 'published' ? replaces && objectName(digest, replaces) : name;
  if (needless !== undefined) await discard(place, needless);
  return outcome !== 'abandoned';
}

/** Reads contents and checks them; undefined when they are missing or damaged. */
async function readWhole({ index, bucket }: Place, digest: string): Promise<Uint8Array | undefined> {
  for (let before: string | undefined; isDigest(digest); ) {
    const object = await index.find(digest);
    // The object may have been replaced since it was looked up.
    if (object === undefined || object.generation === before) return undefined;
    before = object.generation;
    const hash = createHash('sha256');
    const bytes = Buffer.allocUnsafe(object.size);
    let at = 0;
    for await (const piece of bucket.read(objectName(digest, object.generation))) {
      hash.update(piece);
      if (at + piece.length <= object.size) bytes.set(piece, at);
      at += piece.length;
      if (at > object.size) break;
    }
    if (at === object.size && hash.digest('hex') === digest) return bytes;
  }
  return undefined;
}
