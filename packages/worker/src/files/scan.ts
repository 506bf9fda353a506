import { lstat, opendir, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { NodeError } from '@millrace/core';
import { isNotFound } from './confined-path.ts';

/** Size and times of a file; as long as all of them stay the same, so does the content. */
export interface FileStat {
  readonly size: number;
  readonly inode: number;
  /** Milliseconds since 1970, of the content and of whatever the file system knows about the file. */
  readonly modifiedAt: number;
  readonly changedAt: number;
}

/** Caches of tools, which they can make again: they stay where they are, and are not stored. */
const left: ReadonlySet<string> = new Set(['__pycache__', '.venv', 'node_modules']);

/** Limits of the files of one workspace, folders and links included, in number and bytes; `file` is for each of them. */
export const workspaceLimits = { files: 10_000, total: 512 * 1024 * 1024, file: 64 * 1024 * 1024 } as const;

/** Limits of all caches of one workspace together. They are not stored, but take up the disk that all tenants share. */
export const cacheLimits = { files: 200_000, total: 2 * 1024 * 1024 * 1024 } as const;

/** What a directory contains. */
export interface Scan {
  /** Its files by path, without links, devices and empty folders. */
  readonly files: ReadonlyMap<string, FileStat>;
  /** Paths of the caches of tools, whose files are not among these. */
  readonly caches: readonly string[];
}

/** Returns what a directory contains. Throws when there are more than `most` files, folders and links beside caches. */
export async function scan(root: string, most: number): Promise<Scan> {
  const found = new Map<string, FileStat>();
  const caches: string[] = [];
  const folders = [''];
  let count = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const { files, inner, others } = await look(root, folder);
    for (const one of inner) (left.has(basename(one)) ? caches : folders).push(one);
    for (const [path, stat] of files) found.set(path, stat);
    count += files.length + inner.length + others;
    if (count - caches.length > most)
      throw workspaceTooLarge(`has more than ${most.toLocaleString('en')} files, folders and links`);
  }
  return { files: found, caches };
}

/** Removes the caches of a workspace and throws WORKSPACE_TOO_LARGE if they are too large together. */
export async function boundCaches(
  root: string,
  caches: readonly string[],
  most: { readonly files: number; readonly total: number } = cacheLimits,
): Promise<void> {
  let [files, total] = [0, 0];
  for (const cache of caches) {
    for await (const bytes of sizesBelow(join(root, cache))) {
      files += 1;
      total += bytes;
      if (files <= most.files && total <= most.total) continue;
      for (const one of caches) await rm(join(root, one), { recursive: true, force: true });
      throw new NodeError(
        'WORKSPACE_TOO_LARGE',
        `The folders node_modules, .venv and __pycache__ of the workspace had more than ${most.total.toLocaleString('en')} bytes or ${most.files.toLocaleString('en')} files, and were removed. Install less.`,
      );
    }
  }
}

/** Yields the size of each entry below a folder on the disk; folders and links take up some, too. */
async function* sizesBelow(folder: string): AsyncGenerator<number> {
  try {
    for await (const entry of await opendir(folder)) {
      const place = join(folder, entry.name);
      const stat = await lstat(place);
      yield stat.blocks * 512;
      if (stat.isDirectory()) yield* sizesBelow(place);
    }
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Returns the entries of a folder; `others`: the number of links and devices. */
async function look(root: string, folder: string) {
  const files: (readonly [string, FileStat])[] = [];
  const inner: string[] = [];
  let others = 0;
  for (const entry of await entriesOf(join(root, folder))) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) inner.push(path);
    else if (!entry.isFile()) others += 1;
    const stat = entry.isFile() ? await fileStatOf(join(root, path)) : undefined;
    if (stat !== undefined) files.push([path, stat]);
  }
  return { files, inner, others };
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

/** Returns size and times of a file; undefined if it no longer exists. */
export async function fileStatOf(place: string): Promise<FileStat | undefined> {
  try {
    const { size, ino, mtimeMs, ctimeMs } = await lstat(place);
    return { size, inode: ino, modifiedAt: Math.round(mtimeMs), changedAt: ctimeMs };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** A workspace that is too large to be kept; `what` continues after "The workspace". */
export const workspaceTooLarge = (what: string): NodeError =>
  new NodeError(
    'WORKSPACE_TOO_LARGE',
    `The workspace ${what}. Write less into it, or keep what can be made again in a folder named node_modules, .venv or __pycache__, which is left where it is.`,
  );
