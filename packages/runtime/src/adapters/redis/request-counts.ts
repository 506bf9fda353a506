import { createHash } from 'node:crypto';
import { runScript, scriptOf } from './commands/script.ts';
import type { Shard } from './connection/shard.ts';

/** Number of requests in a window of time. */
export interface RequestCount {
  readonly count: number;
  /** Time until the window ends, in milliseconds. */
  readonly remainingMs: number;
}

/** Counts of requests that all servers of an installation share, in windows that begin with their first request. */
export interface RequestCounts {
  /** Adds a request of a caller, and returns the count of the caller's window. */
  add(caller: string, windowMs: number): Promise<RequestCount>;
}

/** Creates the counts of a shard. */
export const createRequestCounts = ({ connection, keys }: Shard): RequestCounts => ({
  async add(caller, windowMs) {
    // Names of callers of identity providers have any length.
    const name = createHash('sha256').update(caller).digest('hex').slice(0, 32);
    const reply = await runScript(connection, count, { keys: [keys.held(`requests/${name}`)], args: [windowMs] });
    const [total, remainingMs] = reply as [number, number]; // the reply of the script
    return { count: total, remainingMs };
  },
});

/** Counts a request. KEYS: the counter. ARGV: length of the window in milliseconds. Returns the count, and the rest of the window. */
const count = scriptOf(`
local total = redis.call('incr', KEYS[1])
local rest = redis.call('pttl', KEYS[1])
if rest < 0 or rest > tonumber(ARGV[1]) then
  redis.call('pexpire', KEYS[1], ARGV[1])
  rest = tonumber(ARGV[1])
end
return {total, rest}
`);
