import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';

/** A script in Lua; see {@link runScript}. */
export interface Script {
  readonly text: string;
  readonly digest: string;
}

/** Creates a script from its text. */
export const scriptOf = (text: string): Script => ({ text, digest: createHash('sha1').update(text).digest('hex') });

/** Reads a script that is next to the code that uses it. */
export const readScript = (place: URL): Script => scriptOf(readFileSync(place, 'utf8'));

/** Runs a script by its digest, and by its text if Redis does not know it. The script defines the type of the reply. */
export async function runScript(
  connection: Redis,
  { text, digest }: Script,
  { keys, args }: { readonly keys: readonly string[]; readonly args: readonly (string | number)[] },
): Promise<unknown> {
  // As one list: a call takes only so many arguments as its stack has room for.
  const rest = [keys.length, ...keys, ...args];
  try {
    return await connection.call('EVALSHA', [digest, ...rest]);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return connection.call('EVAL', [text, ...rest]);
  }
}
