import { runScript, scriptOf } from '../redis/commands/script.ts';
import type { Shard } from '../redis/shard.ts';
import { formatsBefore } from '../store/format.ts';
import { createKeys } from '../store/keys.ts';

/** Time for which an outbox entry is left to the servers of the build that wrote it, in milliseconds. */
const leftMs = 2000;
const atOnce = 100;

/** Takes over outbox entries that no server of an earlier build relays. */
export async function sweepOutbox({ connection, keys }: Shard): Promise<void> {
  for (const format of formatsBefore(keys.format)) {
    const { outbox: formerOutbox } = createKeys(keys.prefix, format);
    if ((await connection.xlen(formerOutbox)) === 0) continue;
    const places = { keys: [formerOutbox, keys.outbox], args: [leftMs, atOnce] };
    while ((await runScript(connection, move, places)) === atOnce);
  }
}

/**
 * Moves outbox entries. KEYS: the stream that they are in, the stream that they go to. ARGV: how old they have to be, in
 * milliseconds; how many at most. Returns how many were moved.
 */
const move = scriptOf(`
local time = redis.call('time')
local latest = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) - ARGV[1])
local entries = redis.call('xrange', KEYS[1], '-', latest, 'COUNT', ARGV[2])
for _, entry in ipairs(entries) do
  redis.call('xadd', KEYS[2], '*', unpack(entry[2]))
  redis.call('xdel', KEYS[1], entry[1])
end
return #entries
`);
