import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Time that a server may take to answer, in milliseconds. */
const answerWithinMs = 2000;

const fileIn = (directory: string): string => join(directory, 'server-url');

/** Notes in the data directory where the HTTP API is served, for other commands; returns a function that removes the note. */
export async function noteServedAddress(directory: string, url: string): Promise<() => Promise<void>> {
  const file = fileIn(directory);
  await mkdir(directory, { recursive: true });
  await writeFile(file, `${url}\n`, { mode: 0o600 });
  return async () => {
    // Another server may have noted its address since.
    if ((await noted(directory)) === url) await rm(file, { force: true });
  };
}

/** Returns the address of the HTTP API that a process of this installation serves now; undefined when none does. */
export async function servedAddress(directory: string): Promise<string | undefined> {
  const url = await noted(directory);
  if (url === undefined) return undefined;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), answerWithinMs);
  try {
    // A server that was killed has left its note behind.
    const { ok } = await fetch(`${url}/healthz`, { signal: late.signal });
    return ok ? url : undefined;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

async function noted(directory: string): Promise<string | undefined> {
  try {
    return (await readFile(fileIn(directory), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
