import { existsSync, mkdirSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/*
 * A separate entry of the package, `@millrace/runtime/make-directory`: it loads no other library, for commands that need no runtime.
 * The functions of Node.js never return with `recursive` where the system says ENOENT although the parent exists, as below `/proc`.
 */

/** Makes a directory with its parents, if it is missing; others may do the same meanwhile. Throws the error of the system. */
export function makeDirectorySync(directory: string, mode?: number): void {
  if (isDirectory(directory)) return;
  if (!existsSync(dirname(directory))) makeDirectorySync(dirname(directory), mode);
  try {
    mkdirSync(directory, { mode });
  } catch (error) {
    if (!isDirectory(directory)) throw error;
  }
}

/** The same without blocking this process. */
export async function makeDirectory(directory: string, mode?: number): Promise<void> {
  if (isDirectory(directory)) return;
  if (!existsSync(dirname(directory))) await makeDirectory(dirname(directory), mode);
  try {
    await mkdir(directory, { mode });
  } catch (error) {
    if (!isDirectory(directory)) throw error;
  }
}

/** A path below a file is no directory either; `statSync` throws for it. */
function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
