import { randomUUID } from 'node:crypto';
import { constants, copyFile, lstat, mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileVersion } from '@millrace/core';
import type { Blobs } from '@millrace/runtime';
import { blobMissing } from '@millrace/runtime';
import { isMissing } from './confined-path.ts';
import type { KnownDigests } from './known-digests.ts';
import type { Sight } from './scan.ts';
import { scan, sightOf } from './scan.ts';

/** Where files are to be, and where they come from. */
export interface Site {
  readonly directory: string;
  /** Another directory on this machine that has most of them. */
  readonly near?: string;
  readonly blobs: Blobs;
  readonly digests: KnownDigests;
}

/** Files written at the same time. */
const atOnce = 8;

/**
 * Makes a directory hold exactly these files: writes what is missing or different, removes what is not among them, such
 * as what an attempt that was killed has left. Files that are right are not touched, and not even read when this process
 * knows them.
 */
export async function bring(site: Site, files: ReadonlyMap<string, FileVersion>): Promise<void> {
  const { directory } = site;
  await mkdir(directory, { recursive: true });
  const seen = await scan(directory, Number.POSITIVE_INFINITY);
  for (const path of seen.keys()) if (!files.has(path)) await rm(join(directory, path), { force: true });
  const wanted = [...files];
  for (let from = 0; from < wanted.length; from += atOnce) {
    await Promise.all(
      wanted.slice(from, from + atOnce).map(async ([path, file]) => {
        if (!(await isRight(site, path, { file, sight: seen.get(path) }))) await write(site, path, file);
      }),
    );
  }
}

async function isRight(
  { directory, digests }: Pick<Site, 'directory' | 'digests'>,
  path: string,
  { file, sight }: { readonly file: FileVersion; readonly sight: Sight | undefined },
): Promise<boolean> {
  return sight?.size === file.size && (await digests.of(directory, path, sight)) === file.digest;
}

async function write(site: Site, path: string, file: FileVersion): Promise<void> {
  const { directory, digests } = site;
  const place = join(directory, path);
  await makeWay(directory, path);
  // Nobody sees half a file; and what a crash leaves under this name is removed the next time.
  const draft = `${place}.${randomUUID()}`;
  await fill(site, draft, { path, file });
  await utimes(draft, file.modifiedAt / 1000, file.modifiedAt / 1000);
  await rename(draft, place);
  const sight = await sightOf(place);
  if (sight !== undefined) digests.note(directory, path, { sight, digest: file.digest });
}

async function fill(site: Site, draft: string, { path, file }: { path: string; file: FileVersion }): Promise<void> {
  const { near, blobs, digests } = site;
  if (near !== undefined) {
    const sight = await sightOf(join(near, path));
    if (await isRight({ directory: near, digests }, path, { file, sight }))
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
  await mkdir(dirname(place), { recursive: true });
  if ((await kindAt(place)) === 'folder') await rm(place, { recursive: true, force: true });
}

async function kindAt(place: string): Promise<'folder' | 'other' | 'nothing'> {
  try {
    return (await lstat(place)).isDirectory() ? 'folder' : 'other';
  } catch (error) {
    if (isMissing(error)) return 'nothing';
    throw error;
  }
}
