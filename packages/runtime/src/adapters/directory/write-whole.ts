import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../../files/make-directory.ts';
import { pathUnwritable } from '../../files/path-unwritable.ts';

/**
 * Writes a file that appears under its name only when all of it is on the disk, and survives a power loss from then
 * on. It is written in the folder `drafts`, which must be on the same disk.
 */
export function writeWhole(place: string, drafts: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  return writeNamedAfter(drafts, async (file) => ({ place, result: await write(file) }));
}

/** The same for a file whose name is known only when it is written. Throws RequestError where the disk refuses it. */
export async function writeNamedAfter<T>(
  drafts: string,
  write: (file: FileHandle) => Promise<{ readonly place: string; readonly result: T }>,
): Promise<T> {
  const draft = join(drafts, randomUUID());
  try {
    await makeDirectory(drafts);
    const { place, result } = await writeDraft(draft, write);
    await makeDirectory(dirname(place));
    await rename(draft, place);
    await syncFolder(dirname(place));
    return result;
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    return pathUnwritable(dirname(drafts))(error);
  }
}

/** Removes drafts that nobody has written to for so long: their processes have died. */
export async function removeOldDrafts(drafts: string, forMs: number): Promise<void> {
  for (const name of (await unlessMissing(readdir(drafts))) ?? []) {
    if (await isIdle(join(drafts, name), forMs)) await rm(join(drafts, name), { force: true });
  }
}

/** Returns whether a file exists and was not written to for so long, by the clock of this host. */
export async function isIdle(place: string, forMs: number): Promise<boolean> {
  const found = await unlessMissing(stat(place));
  return found !== undefined && found.mtimeMs <= Date.now() - forMs;
}

/** Returns undefined if the file is missing. */
export async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeDraft<T>(draft: string, write: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(draft, 'wx');
  try {
    const written = await write(file);
    await file.sync();
    return written;
  } finally {
    await file.close();
  }
}

/** Makes the new name survive a power loss. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
