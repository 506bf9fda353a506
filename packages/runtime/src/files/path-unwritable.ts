import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RequestError } from '@millrace/core';
import { makeDirectory } from './make-directory.ts';

/** Returns a handler of errors of the file system: it throws RequestError, `PATH_UNWRITABLE`, with the path. */
export const pathUnwritable =
  (path: string) =>
  (error: unknown): never => {
    if (!isSystemError(error)) throw error;
    throw new RequestError('PATH_UNWRITABLE', `${path} cannot be written to: ${error.message}. ${cureOfUnwritable}`);
  };

/** What to do about a directory that cannot be written to. */
export const cureOfUnwritable = 'Let the user that Millrace runs as make files there, or name another directory.';

/** Errors of the file system have a number; those of others, such as the contents to be written, have none. */
const isSystemError = (error: unknown): error is Error => error instanceof Error && 'errno' in error;

/** Makes a directory if it is missing, and writes and removes a file in it. Throws the error of the system. */
export async function probeDirectory(directory: string): Promise<void> {
  const probe = join(directory, `.${randomUUID()}`);
  await makeDirectory(directory);
  await writeFile(probe, '');
  await rm(probe);
}
