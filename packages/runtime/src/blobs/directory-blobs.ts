import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { digestOf, isDigest } from './digest.ts';
import type { Blobs } from './port.ts';

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
      if ((await sizeOf(digest)) !== bytes.length) await writeWhole(root, placeOf(digest), bytes);
      return digest;
    },
    async get(digest) {
      if (!isDigest(digest)) return undefined;
      const bytes = await unlessMissing(readFile(placeOf(digest)));
      return bytes !== undefined && digestOf(bytes) === digest ? bytes : undefined;
    },
    has: async (digest) => (await sizeOf(digest)) !== undefined,
    size: sizeOf,
  };
}

async function writeWhole(root: string, place: string, bytes: Uint8Array): Promise<void> {
  const drafts = join(root, 'drafts');
  await Promise.all([mkdir(drafts, { recursive: true }), mkdir(dirname(place), { recursive: true })]);
  const draft = join(drafts, randomUUID());
  try {
    const file = await open(draft, 'wx');
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(place));
}

/** Makes the new name itself survive a power loss. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
