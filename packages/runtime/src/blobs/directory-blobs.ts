import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf, isDigest } from './digest.ts';
import type { Blobs } from './port.ts';
import { writeWhole } from './write-whole.ts';

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
