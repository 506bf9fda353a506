import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';

/** A script in Lua; see {@link runScript}. */
export interface Script {
  readonly text: string;
  readonly digest: string;
}

/** Reads a script that stands beside the code that uses it. */
export function readScript(place: URL): Script {
  const text = readFileSync(place, 'utf8');
  return { text, digest: createHash('sha1').update(text).digest('hex') };
}

/** Runs a script by its digest, and by its text where Redis does not know it. The reply is what the script says. */
export async function runScript(
  connection: Redis,
  { text, digest }: Script,
  { keys, args }: { readonly keys: readonly string[]; readonly args: readonly (string | number)[] },
): Promise<unknown> {
  try {
    return await connection.evalsha(digest, keys.length, ...keys, ...args);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return connection.eval(text, keys.length, ...keys, ...args);
  }
}
