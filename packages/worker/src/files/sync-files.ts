import { randomUUID } from 'node:crypto';
import { constants, copyFile, lstat, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileVersion } from '@millrace/core';
import type { Blobs } from '@millrace/runtime';
import { blobMissing, makeDirectory, pathUnwritable } from '@millrace/runtime';
import { isNotFound } from './confined-path.ts';
import type { DigestCache } from './known-digests.ts';
import type { FileStat } from './scan.ts';
import { fileStatOf, removeUnstorable, scan } from './scan.ts';

/** Directory to be synchronized, and the sources of its files. */
export interface SyncTarget {
  readonly directory: string;
  /** Another directory on this machine that has most of them. */
  readonly localSource?: string;
  readonly blobs: Blobs;
  readonly digests: DigestCache;
}

/** Files written at the same time. */
const atOnce = 8;

/**
 * Makes a directory hold exactly these files: writes what is missing or different, removes what is not among them, such
 * as files of an attempt that was killed. Correct files are not touched, and not read when this process knows them.
 */
export async function syncFiles(site: SyncTarget, files: ReadonlyMap<string, FileVersion>): Promise<void> {
  const { directory } = site;
  await makeDirectory(directory).catch(pathUnwritable(directory));
  const { files: seen, unstorable } = await scan(directory, Number.POSITIVE_INFINITY);
  await removeUnstorable(directory, unstorable);
  for (const path of seen.keys()) if (!files.has(path)) await rm(join(directory, path), { force: true });
  const wanted = [...files];
  for (let from = 0; from < wanted.length; from += atOnce) {
    await Promise.all(
      wanted.slice(from, from + atOnce).map(async ([path, file]) => {
        if (!(await isRight(site, path, { file, stat: seen.get(path) }))) await write(site, path, file);
      }),
    );
  }
}

async function isRight(
  { directory, digests }: Pick<SyncTarget, 'directory' | 'digests'>,
  path: string,
  { file, stat }: { readonly file: FileVersion; readonly stat: FileStat | undefined },
): Promise<boolean> {
  return stat?.size === file.size && (await digests.digestOf(directory, path, stat)) === file.digest;
}

async function write(site: SyncTarget, path: string, file: FileVersion): Promise<void> {
  const { directory, digests } = site;
  const place = join(directory, path);
  await makeWay(directory, path);
  // No reader sees half a file; a file that a crash leaves under this name is removed the next time.
  const draft = `${place}.${randomUUID()}`;
  await fill(site, draft, { path, file });
  await utimes(draft, file.modifiedAt / 1000, file.modifiedAt / 1000);
  await rename(draft, place);
  const stat = await fileStatOf(place);
  if (stat !== undefined) digests.set(directory, path, { stat, digest: file.digest });
}

async function fill(
  site: SyncTarget,
  draft: string,
  { path, file }: { path: string; file: FileVersion },
): Promise<void> {
  const { localSource: near, blobs, digests } = site;
  if (near !== undefined) {
    const stat = await fileStatOf(join(near, path));
    if (await isRight({ directory: near, digests }, path, { file, stat }))
      return copyFile(join(near, path), draft, constants.COPYFILE_FICLONE);
  }
  const bytes = await blobs.get(file.digest);
  if (bytes === undefined) throw blobMissing(file.digest, `The file "${path}" of the workspace`);
  await writeFile(draft, bytes, { flag: 'wx' });
}

/** Makes the folders of a path, in place of links and files that a program may have left under their names. */
async function makeWay(root: string, path: string): Promise<void> {
  const names = path.split('/');
  for (let depth = 1; depth < names.length; depth++) {
    const folder = join(root, ...names.slice(0, depth));
    if ((await kindAt(folder)) === 'other') await rm(folder, { force: true });
  }
  const place = join(root, path);
  await makeDirectory(dirname(place)).catch(pathUnwritable(dirname(place)));
  if ((await kindAt(place)) === 'folder') await rm(place, { recursive: true, force: true });
}

async function kindAt(place: string): Promise<'folder' | 'other' | 'nothing'> {
  try {
    return (await lstat(place)).isDirectory() ? 'folder' : 'other';
  } catch (error) {
    if (isNotFound(error)) return 'nothing';
    throw error;
  }
}
