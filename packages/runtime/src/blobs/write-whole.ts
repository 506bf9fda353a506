import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Writes a file that appears under its name only when all of it is on the disk, and survives a power loss from then
 * on. It is written in the folder `drafts`, which must be on the same disk.
 */
export async function writeWhole(
  place: string,
  drafts: string,
  write: (file: FileHandle) => Promise<void>,
): Promise<void> {
  await Promise.all([mkdir(drafts, { recursive: true }), mkdir(dirname(place), { recursive: true })]);
  const draft = join(drafts, randomUUID());
  try {
    const file = await open(draft, 'wx');
    try {
      await write(file);
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
