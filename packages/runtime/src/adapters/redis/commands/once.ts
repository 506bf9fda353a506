import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Keys } from '../location/keys.ts';
import { runScript, scriptOf } from './script.ts';
import type { Script } from './script-command.ts';

/** Time for which Redis knows a write whose reply was lost: longer than an outage after which the connection sends it again. */
const knownForMs = 24 * 60 * 60 * 1000;

/**
 * Creates a script for `runOnce` from a text that returns 1 when it has written. It leaves a note then, by which it is known when the
 * connection breaks before its reply and sends it again, whatever others have written in between.
 */
export const onceScript = (text: string): Script =>
  scriptOf(`
local note = table.remove(KEYS)
if redis.call('exists', note) == 1 then return 1 end
local function write()
${text}
end
local reply = write()
if reply == 1 then redis.call('set', note, '', 'PX', ${knownForMs}) end
return reply
`);

interface OnceArguments {
  readonly keys: readonly string[];
  readonly args: readonly unknown[];
}

/** Runs a script that writes, once, however often the connection has to send it. */
export async function runOnce(
  connection: Redis,
  { held }: Pick<Keys, 'held'>,
  script: Script,
  { keys, args }: OnceArguments,
): Promise<unknown> {
  const note = held(`written/${randomUUID()}`);
  const reply = await runScript(connection, script, { keys: [...keys, note], args });
  // One that stays expires.
  if (reply === 1) connection.unlink(note).catch(() => undefined);
  return reply;
}
