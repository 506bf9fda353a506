import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open, rename, rm } from 'node:fs/promises';
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
