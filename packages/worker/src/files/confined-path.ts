import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { RunId } from '@millrace/core';
import { defaultTenant, NodeError, tenantOf } from '@millrace/core';

/**
 * The real place of a path below a folder. Throws when it leads out of it, by `..` or by a link anywhere on its way;
 * for a path that does not exist yet, the folder that would contain it counts.
 */
export async function resolveInside(root: string, path: string): Promise<string> {
  if (path.includes('\0')) throw new Error(`"${path}" is not a path`);
  const place = resolve(root, path);
  if (!isWithin(root, place)) throw leadsOut(path);
  const [realRoot, real] = await Promise.all([realpath(root), realOf(place)]);
  if (!isWithin(realRoot, real)) throw leadsOut(path);
  return real;
}

const leadsOut = (path: string): Error =>
  new Error(`"${path}" leads out of the folder; only paths inside of it are allowed`);

/** Returns whether a path is a folder or below it; both are absolute. */
export function isWithin(root: string, place: string): boolean {
  const way = relative(root, place);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Returns whether a path leads to a folder or below it, directly or by links. */
export async function leadsInto(folder: string, path: string): Promise<boolean> {
  if (isWithin(folder, path)) return true;
  const [root, real] = await Promise.all([folder, path].map((one) => realOf(one).catch(() => one)));
  return root !== undefined && real !== undefined && isWithin(root, real);
}

/** The real path of a place of which the last parts may be missing. A link that leads nowhere is no place. */
async function realOf(place: string): Promise<string> {
  try {
    return await realpath(place);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (await isLink(place))
      throw new Error(`"${place.slice(place.lastIndexOf(sep) + 1)}" is a link that leads nowhere`);
    return join(await realOf(dirname(place)), place.slice(place.lastIndexOf(sep) + 1));
  }
}

async function isLink(place: string): Promise<boolean> {
  try {
    return (await lstat(place)).isSymbolicLink();
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** Returns whether an error says that a file does not exist. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

/** Returns the real path of a file or folder of this machine that the workflow of a run names; throws MEMORY_FILES_REFUSED. */
export type ReadableFiles = (path: string, run: RunId) => Promise<string>;

/** Folders in which the kernel shows processes and devices, such as the environment of the worker. */
const kernelFolders = ['/proc', '/sys', '/dev'];

/**
 * Decides which files of this machine memories may read. With a list of folders, those in them; without one, all for runs of the
 * default tenant and none for others. Never those of the kernel and of the installation's own directory.
 */
export function createReadableFiles({
  allowed,
  workspaces,
}: {
  readonly allowed: readonly string[] | undefined;
  readonly workspaces: string;
}): ReadableFiles {
  return async (path, run) => {
    const real = await realOrResolved(path);
    // Everything else of an installation is beside its workspaces.
    const own = await realOrResolved(basename(workspaces) === 'workspaces' ? dirname(workspaces) : workspaces);
    const isKernel = kernelFolders.some((folder) => isWithin(folder, real));
    const folders = allowed === undefined ? undefined : await Promise.all(allowed.map(realOrResolved));
    const isAllowed =
      folders === undefined ? tenantOf(run) === defaultTenant : folders.some((folder) => isWithin(folder, real));
    if (isAllowed && !isKernel && !isWithin(own, real)) return real;
    throw new NodeError(
      'MEMORY_FILES_REFUSED',
      `A memory of the tenant "${tenantOf(run)}" may not read "${path}" of the worker's machine. The operator of the worker can allow folders with MILLRACE_MEMORY_FILES.`,
    );
  };
}

/** A path that does not exist is refused or missing by its name. */
const realOrResolved = (path: string): Promise<string> => realpath(path).catch(() => resolve(path));
