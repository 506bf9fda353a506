import { realpath } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { RunId } from '@millrace/core';
import { defaultTenant, NodeError, tenantOf } from '@millrace/core';
import { isWithin } from './confined-path.ts';

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
