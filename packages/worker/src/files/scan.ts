import { lstat, opendir, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { NodeError } from '@millrace/core';
import { isNotFound } from './confined-path.ts';
import { removeTree } from './remove-tree.ts';

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

/** Bytes of the longest path of a file in a workspace: systems take about 4,000, with that of the workspace. */
const longestPath = 2000;

/** What a directory contains. */
export interface Scan {
  /** Its files by path, without links, devices and empty folders. */
  readonly files: ReadonlyMap<string, FileStat>;
  /** Paths of the caches of tools, whose files are not among these. */
  readonly caches: readonly string[];
  /** Paths that cannot be stored: they are too long, or no UTF-8. Nothing below them was looked at. */
  readonly unstorable: readonly Buffer[];
}

/** Returns what a directory contains. Throws when there are more than `most` files, folders and links beside caches. */
export async function scan(root: string, most: number): Promise<Scan> {
  const found = new Map<string, FileStat>();
  const caches: string[] = [];
  const unstorable: Buffer[] = [];
  const folders = [''];
  let count = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const { files, inner, others, strange } = await look(root, folder);
    for (const one of strange) unstorable.push(one);
    for (const one of inner) (left.has(basename(one)) ? caches : folders).push(one);
    for (const [path, stat] of files) found.set(path, stat);
    count += files.length + inner.length + others + strange.length;
    if (count - caches.length > most)
      throw workspaceTooLarge(`has more than ${most.toLocaleString('en')} files, folders and links`);
  }
  return { files: found, caches, unstorable };
}

/** Removes paths that cannot be stored, and throws WORKSPACE_PATH_INVALID if there are any. */
export async function assertStorablePaths(root: string, unstorable: readonly Buffer[]): Promise<void> {
  const [first] = unstorable;
  if (first === undefined) return;
  await removeUnstorable(root, unstorable);
  throw pathInvalid(first.toString());
}

/** Removes paths that cannot be stored. */
export async function removeUnstorable(root: string, unstorable: readonly Buffer[]): Promise<void> {
  for (const path of unstorable) await removeTree(Buffer.concat([Buffer.from(`${root}/`), path]));
}

/** Removes the caches of a workspace and throws a NodeError if they are too large together, or their paths too long. */
export async function boundCaches(
  root: string,
  caches: readonly string[],
  most: { readonly files: number; readonly total: number } = cacheLimits,
): Promise<void> {
  const problem = await problemOfCaches(root, caches, most);
  if (problem === undefined) return;
  for (const one of caches) await removeTree(join(root, one));
  throw problem;
}

async function problemOfCaches(
  root: string,
  caches: readonly string[],
  most: { readonly files: number; readonly total: number },
): Promise<NodeError | undefined> {
  let [files, total] = [0, 0];
  for (const cache of caches) {
    try {
      for await (const bytes of sizesBelow(Buffer.from(join(root, cache)))) {
        files += 1;
        total += bytes;
        if (files > most.files || total > most.total)
          return new NodeError(
            'WORKSPACE_TOO_LARGE',
            `The folders node_modules, .venv and __pycache__ of the workspace had more than ${most.total.toLocaleString('en')} bytes or ${most.files.toLocaleString('en')} files, and were removed. Install less.`,
          );
      }
    } catch (error) {
      if (isTooLong(error)) return pathInvalid(`${cache}/…`);
      throw error;
    }
  }
  return undefined;
}

/** Yields the size of each entry below a folder on the disk; folders and links take up some, too. */
async function* sizesBelow(folder: Buffer): AsyncGenerator<number> {
  try {
    for await (const { name } of await opendir(folder, { encoding: 'latin1' })) {
      // Each byte of a name is one character, as names need not be UTF-8.
      const place = Buffer.concat([folder, Buffer.from('/'), Buffer.from(name, 'latin1')]);
      const stat = await lstat(place);
      yield stat.blocks * 512;
      if (stat.isDirectory()) yield* sizesBelow(place);
    }
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

const isTooLong = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENAMETOOLONG';

/** Returns the entries of a folder; `others`: the number of links and devices; `strange`: paths that cannot be stored. */
async function look(root: string, folder: string) {
  const files: (readonly [string, FileStat])[] = [];
  const inner: string[] = [];
  const strange: Buffer[] = [];
  let others = 0;
  for (const entry of await entriesOf(join(root, folder))) {
    const name = entry.name.toString();
    const path = folder === '' ? name : `${folder}/${name}`;
    if (!isStorable(path, entry.name))
      strange.push(Buffer.concat([Buffer.from(path.slice(0, -name.length)), entry.name]));
    else if (entry.isDirectory()) inner.push(path);
    else if (!entry.isFile()) others += 1;
    else {
      const stat = await fileStatOf(join(root, path));
      if (stat !== undefined) files.push([path, stat]);
    }
  }
  return { files, inner, others, strange };
}

/** Bytes that are no UTF-8 are read as U+FFFD. */
const isStorable = (path: string, name: Buffer): boolean =>
  Buffer.byteLength(path) <= longestPath && (!path.includes('\uFFFD') || name.equals(Buffer.from(name.toString())));

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
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

/** A path that cannot be stored. */
const pathInvalid = (path: string): NodeError =>
  new NodeError(
    'WORKSPACE_PATH_INVALID',
    `The workspace had the path "${path.length > 200 ? `${path.slice(0, 200)}…` : path}", which cannot be stored and was removed: paths are UTF-8 of at most ${longestPath.toLocaleString('en')} bytes. Nest fewer folders, and write names in UTF-8.`,
  );
