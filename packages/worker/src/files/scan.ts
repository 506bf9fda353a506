import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
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

/** Limits of one workspace, in files and bytes; `file` is for each of them. */
export const workspaceLimits = { files: 10_000, total: 512 * 1024 * 1024, file: 64 * 1024 * 1024 } as const;

/** Returns the files below a directory by path, without links, devices and empty folders. Throws when there are more than `most`. */
export async function scan(root: string, most: number): Promise<ReadonlyMap<string, FileStat>> {
  const found = new Map<string, FileStat>();
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const { files, inner } = await look(root, folder);
    for (const one of inner) folders.push(one);
    for (const [path, stat] of files) found.set(path, stat);
    if (found.size > most) throw workspaceTooLarge(`has more than ${most.toLocaleString('en')} files`);
  }
  return found;
}

/** Returns the entries of a folder. */
async function look(root: string, folder: string) {
  const files: (readonly [string, FileStat])[] = [];
  const inner: string[] = [];
  for (const entry of await entriesOf(join(root, folder))) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory() && !left.has(entry.name)) inner.push(path);
    const stat = entry.isFile() ? await fileStatOf(join(root, path)) : undefined;
    if (stat !== undefined) files.push([path, stat]);
  }
  return { files, inner };
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
