import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/*
 * A separate entry of the package, `@millrace/runtime/make-directory`: it loads no other library, for commands that need no runtime.
 */

/**
 * Makes a directory with its parents, if it is missing. Throws the error of the system. `mkdirSync` with `recursive` never returns where
 * the system says ENOENT although the parent exists, as below `/proc`.
 */
export function makeDirectory(directory: string, mode?: number): void {
  try {
    mkdirSync(directory, { mode });
  } catch (error) {
    if (isDirectory(directory)) return;
    const parent = dirname(directory);
    const isParentMissing = (error as NodeJS.ErrnoException).code === 'ENOENT' && !existsSync(parent); // an error of the file system
    if (!isParentMissing) throw error;
    makeDirectory(parent, mode);
    makeDirectory(directory, mode);
  }
}

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
