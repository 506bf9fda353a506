import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectorySync } from '@millrace/runtime/make-directory';

/** Time limit of a server's response, in milliseconds. */
const checkTimeoutMs = 2000;

const fileIn = (directory: string): string => join(directory, 'server-url');

/** Writes the address of the HTTP API to the data directory, for other commands; returns a function that removes it. */
export async function writeServedAddress(directory: string, url: string): Promise<() => Promise<void>> {
  const file = fileIn(directory);
  makeDirectorySync(directory);
  await writeFile(file, `${url}\n`, { mode: 0o600 });
  return async () => {
    // Another server may have written its address since.
    if ((await readAddress(directory)) === url) await rm(file, { force: true });
  };
}

/** Returns the address of the HTTP API that a process of this installation serves now; undefined if there is none. */
export async function servedAddress(directory: string): Promise<string | undefined> {
  const url = await readAddress(directory);
  if (url === undefined) return undefined;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), checkTimeoutMs);
  try {
    // A killed server does not remove its address.
    const { ok } = await fetch(`${url}/healthz`, { signal: late.signal });
    return ok ? url : undefined;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

async function readAddress(directory: string): Promise<string | undefined> {
  try {
    return (await readFile(fileIn(directory), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
