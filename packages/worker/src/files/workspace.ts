import type { Stats } from 'node:fs';
import { appendFile, cp, lstat, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { readFileUpTo } from '@millrace/catalog';
import type { Workspace, WorkspaceEntry } from '@millrace/core';
import { KeyedMutex } from '@millrace/runtime';
import { isNotFound, resolveInside } from './confined-path.ts';

/** Bytes of the largest file that models and tools read; programs may write larger ones. */
const largestFile = 64 * 1024 * 1024;

/**
 * Opens the files below a directory that exists. `touched` is called when files may be about to change, which includes requests
 * for the path of the directory, or when the directory is no longer there. It is never made again: its other files would look
 * like removed ones.
 */
export function openWorkspace(directory: string, touched: () => void = () => undefined): Workspace {
  const root = resolve(directory);
  const within = async (path: string): Promise<string> => {
    try {
      await lstat(root);
    } catch (error) {
      touched();
      throw error;
    }
    return resolveInside(root, path);
  };
  /** Makes a folder and those around it, but not the directory itself. */
  const makeFolders = async (folder: string): Promise<void> => {
    const base = await within('.');
    const names = relative(base, folder).split(sep);
    for (let depth = 1; depth <= names.length; depth++) await makeOne(join(base, ...names.slice(0, depth)));
  };
  /** Resolves a path that is to be changed: anything but the root itself. */
  const below = async (path: string): Promise<string> => {
    touched();
    const [base, place] = await Promise.all([within('.'), within(path)]);
    if (place === base) throw new Error(`"${path}" is the workspace itself`);
    return place;
  };
  const find = async (path: string): Promise<WorkspaceEntry | undefined> => {
    const [base, place] = await Promise.all([within('.'), within(path)]);
    return entryOf(base, place);
  };
  const existing = async (path: string): Promise<string> => {
    if ((await find(path)) === undefined) throw new Error(`there is no "${path}" in the workspace`);
    return within(path);
  };
  /** Prepares a path as the target of a move or copy. */
  const target = async (path: string): Promise<string> => {
    const place = await below(path);
    await makeFolders(dirname(place));
    await rm(place, { recursive: true, force: true });
    return place;
  };
  return {
    get directory() {
      touched();
      return root;
    },
    find,
    async list(path) {
      const [base, folder] = await Promise.all([within('.'), existing(path)]);
      const names = (await readdir(folder)).sort();
      const entries = await Promise.all(names.map((name) => entryOf(base, join(folder, name))));
      return entries.filter((entry) => entry !== undefined);
    },
    read: async (path) => contentOf(path, await existing(path)),
    async write(path, content, mode) {
      const place = await below(path);
      await makeFolders(dirname(place));
      await (mode === 'append' ? appendFile : writeFile)(place, content);
    },
    async update(path, change) {
      const place = await below(path);
      await updates.run(place, async () => {
        const before = (await find(path)) === undefined ? undefined : await contentOf(path, place);
        const after = change(before);
        await makeFolders(dirname(place));
        await writeFile(place, after);
      });
    },
    async makeFolder(path) {
      await makeFolders(await within(path));
    },
    async remove(path) {
      await existing(path);
      await rm(await below(path), { recursive: true });
    },
    async move(from, to) {
      const source = await below(from);
      await existing(from);
      if (source !== (await below(to))) await rename(source, await target(to));
    },
    async copy(from, to) {
      const source = await existing(from);
      if (source !== (await below(to))) await cp(source, await target(to), { recursive: true, verbatimSymlinks: true });
    },
  };
}

/** Makes a folder, unless there is one. */
async function makeOne(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (!(await isFolder(folder))) throw error;
  }
}

const isFolder = async (place: string): Promise<boolean> => {
  const stats = await lstat(place).catch(() => undefined);
  return stats?.isDirectory() === true;
};

async function contentOf(path: string, place: string): Promise<Buffer> {
  const content = await readFileUpTo(place, largestFile);
  if (content !== undefined) return content;
  throw new Error(`"${path}" has more than ${largestFile} bytes, which is the most that can be read`);
}

/** Serializes the updates of each file in this process. */
const updates = new KeyedMutex();

/** Returns the entry at a path; links and devices are no entries. */
async function entryOf(root: string, place: string): Promise<WorkspaceEntry | undefined> {
  let stats: Stats;
  try {
    stats = await lstat(place);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
  if (!stats.isFile() && !stats.isDirectory()) return undefined;
  const path = relative(root, place).split(sep).join('/') || '.';
  return stats.isFile() ? { path, type: 'file', size: stats.size } : { path, type: 'folder', size: 0 };
}
