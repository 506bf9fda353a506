import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import type { Script, ScriptValues } from './script-command.ts';
import { ScriptCommand } from './script-command.ts';

/** Creates a script from its text. */
export const scriptOf = (text: string): Script => ({ text, digest: createHash('sha1').update(text).digest('hex') });

/** Reads a script that is next to the code that uses it. */
export const readScript = (place: URL): Script => scriptOf(readFileSync(place, 'utf8'));

/** Keys and arguments of a script; see {@link ScriptValues}. */
interface ScriptArguments {
  readonly keys: readonly unknown[];
  readonly args: readonly unknown[];
}

/** Runs a script. The script defines the type of the reply. */
export const runScript = (connection: Redis, script: Script, { keys, args }: ScriptArguments): Promise<unknown> =>
  sendScript(connection, script, { keyCount: keys.length, values: [keys, args] });

/** Runs a script whose keys and arguments are in one list. */
export function sendScript(connection: Redis, script: Script, call: ScriptValues): Promise<unknown> {
  const command = new ScriptCommand(script, call);
  return (connection.sendCommand(command) as Promise<unknown>).catch((error: unknown) => {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    command.forget();
    return connection.sendCommand(new ScriptCommand(script, call));
  });
}
