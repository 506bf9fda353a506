import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RequestError } from '@millrace/core/errors';
import { makeDirectorySync } from '@millrace/runtime/make-directory';
import type { Config } from './settings.ts';

/**
 * Returns the secret of the installation: that of the environment, or else the content of the file `secret` of its
 * directory, which is created if it is missing. Called when the secret is first needed. Throws RequestError if it cannot exist.
 */
export function installationSecret({ secret, directory }: Pick<Config, 'secret' | 'directory'>): () => Promise<Buffer> {
  let known: Promise<Buffer> | undefined;
  return () => {
    known ??= secret === undefined ? inDirectory(directory) : Promise.resolve(Buffer.from(secret));
    known.catch(() => {
      known = undefined;
    });
    return known;
  };
}

async function inDirectory(directory: string): Promise<Buffer> {
  const file = join(directory, 'secret');
  try {
    makeDirectorySync(directory);
    const fresh = randomBytes(32).toString('hex');
    // Fails if the file exists: of two processes that create it at once, the second one reads the content of the first.
    const written = await writeFile(file, fresh, { flag: 'wx', mode: 0o600, flush: true }).then(
      () => fresh,
      async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
        return (await readFile(file, 'utf8')).trim();
      },
    );
    if (written.length >= 64) return Buffer.from(written);
    throw new Error('it is not whole');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RequestError(
      'SECRET_UNAVAILABLE',
      `The secret of the installation cannot be kept in ${file} (${reason}). Set MILLRACE_SECRET, the same for all of its processes.`,
    );
  }
}
