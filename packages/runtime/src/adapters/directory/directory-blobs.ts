import { createReadStream } from 'node:fs';
import { readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { digestOf, hashPieces, isDigest } from '../../blobs/digest.ts';
import { makeDirectory } from '../../files/make-directory.ts';
import type { Blobs } from '../../ports/blobs.ts';
import { isIdle, removeOldDrafts, unlessMissing, writeNamedAfter, writeWhole } from './write-whole.ts';

/**
 * Blobs as files `<first two digits>/<digest>` below a directory, which hosts may share. A file appears under its name
 * only when all of it is on the disk, so readers never see half of one, and any number of processes may put at once.
 */
export function createDirectoryBlobs(root: string): Blobs {
  const pathOf = (digest: string) => join(root, digest.slice(0, 2), digest);
  const sizeOf = async (digest: string): Promise<number | undefined> => {
    if (!isDigest(digest)) return undefined;
    return (await unlessMissing(stat(pathOf(digest))))?.size;
  };
  const touch = async (digest: string): Promise<boolean> => {
    if (!isDigest(digest)) return false;
    const now = new Date();
    return unlessMissing(utimes(pathOf(digest), now, now).then(() => true)).then((done) => done === true);
  };
  return {
    touch,
    async *idle(forMs) {
      await restoreMoved(root, pathOf);
      await removeOldDrafts(join(root, 'drafts'), forMs);
      yield* idleIn(root, forMs);
    },
    async deleteIdle(digest, forMs) {
      if (isDigest(digest)) await deleteIdle(pathOf(digest), join(root, away, digest), forMs);
    },
    async put(bytes, digest = digestOf(bytes)) {
      // A file of another length was left by a failing disk.
      if ((await sizeOf(digest)) !== bytes.length || !(await touch(digest))) {
        await writeWhole(pathOf(digest), join(root, 'drafts'), (file) => file.writeFile(bytes));
      }
      return digest;
    },
    putPieces: (pieces) =>
      writeNamedAfter(join(root, 'drafts'), async (file) => {
        const stored = await hashPieces(pieces, (piece) => file.writeFile(piece));
        return { place: pathOf(stored.digest), result: stored };
      }),
    async *read(digest, from, to) {
      if (isDigest(digest) && to > from) yield* createReadStream(pathOf(digest), { start: from, end: to - 1 });
    },
    async get(digest) {
      if (!isDigest(digest)) return undefined;
      const bytes = await unlessMissing(readFile(pathOf(digest)));
      return bytes !== undefined && digestOf(bytes) === digest ? bytes : undefined;
    },
    has: async (digest) => (await sizeOf(digest)) !== undefined,
    size: sizeOf,
    async delete(digest) {
      if (isDigest(digest)) await rm(pathOf(digest), { force: true });
    },
  };
}

async function* idleIn(root: string, forMs: number): AsyncGenerator<string> {
  for (const folder of (await unlessMissing(readdir(root))) ?? []) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    for (const digest of await readdir(join(root, folder))) {
      if (isDigest(digest) && (await isIdle(join(root, folder, digest), forMs))) yield digest;
    }
  }
}

/** Folder of files that are about to be deleted, under their digests. */
const away = 'deleting';

/** Moves a file away before it is checked for the last time, so that a process that touches it from then on finds it missing. */
async function deleteIdle(place: string, moved: string, forMs: number): Promise<void> {
  if (!(await isIdle(place, forMs))) return;
  await makeDirectory(dirname(moved));
  if ((await unlessMissing(rename(place, moved).then(() => true))) === undefined) return;
  if (await isIdle(moved, forMs)) await rm(moved, { force: true });
  else await unlessMissing(rename(moved, place));
}

/** Puts back what a process that has died moved away: it may have been touched before. Deleting it is for a later sweep. */
async function restoreMoved(root: string, pathOf: (digest: string) => string): Promise<void> {
  for (const digest of (await unlessMissing(readdir(join(root, away)))) ?? []) {
    if (!isDigest(digest)) continue;
    const moved = join(root, away, digest);
    // Now, as the rename may replace a file that was put meanwhile.
    const now = new Date();
    await unlessMissing(utimes(moved, now, now).then(() => rename(moved, pathOf(digest))));
  }
}
