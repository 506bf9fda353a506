import { createReadStream } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf, isDigest } from './digest.ts';
import { measured } from './measured.ts';
import type { Blobs } from './port.ts';
import { writeAs, writeWhole } from './write-whole.ts';

/**
 * Blobs as files `<first two digits>/<digest>` below a directory, which hosts may share. A file appears under its name
 * only when all of it is on the disk, so readers never see half of one, and any number of processes may put at once.
 */
export function createDirectoryBlobs(root: string): Blobs {
  const placeOf = (digest: string) => join(root, digest.slice(0, 2), digest);
  const sizeOf = async (digest: string): Promise<number | undefined> => {
    if (!isDigest(digest)) return undefined;
    return (await unlessMissing(stat(placeOf(digest))))?.size;
  };
  return {
    async put(bytes) {
      const digest = digestOf(bytes);
      // A file of another length is what a failing disk has left.
      if ((await sizeOf(digest)) !== bytes.length) {
        await writeWhole(placeOf(digest), join(root, 'drafts'), (file) => file.writeFile(bytes));
      }
      return digest;
    },
    putPieces: (pieces) =>
      writeAs(join(root, 'drafts'), async (file) => {
        const kept = await measured(pieces, (piece) => file.writeFile(piece));
        return { place: placeOf(kept.digest), result: kept };
      }),
    async *read(digest, from, to) {
      if (isDigest(digest) && to > from) yield* createReadStream(placeOf(digest), { start: from, end: to - 1 });
    },
    async get(digest) {
      if (!isDigest(digest)) return undefined;
      const bytes = await unlessMissing(readFile(placeOf(digest)));
      return bytes !== undefined && digestOf(bytes) === digest ? bytes : undefined;
    },
    has: async (digest) => (await sizeOf(digest)) !== undefined,
    size: sizeOf,
    async delete(digest) {
      if (isDigest(digest)) await rm(placeOf(digest), { force: true });
    },
  };
}

async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
