import type { Cron } from '../../../ports/cron.ts';
import { millisecondsOf } from '../../../ports/store/store-clock.ts';
import { readScript, runScript } from '../../redis/commands/script.ts';
import type { Shard } from '../../redis/connection/shard.ts';

/** Stored entry of a series of ticks. */
export interface TickEntry extends Cron {
  /** Time of the next pending tick, in milliseconds since 1970. */
  readonly at: number;
  /** Number of failures of that tick. */
  readonly failures: number;
}

/** A series whose tick is due, leased to this process. */
export interface Lease {
  readonly series: string;
  readonly entry: TickEntry;
  /** Milliseconds since 1970 by the clock of Redis, when it was taken. */
  readonly now: number;
}

/** Stored series of ticks of an installation, in Redis. Redis's clock alone decides which of them are due. */
export interface TickStore {
  now(): Promise<number>;
  read(series: string): Promise<TickEntry | undefined>;
  /** Writes an entry, due at `dueAt`, if the stored one equals `before`; returns whether it was written. */
  put(series: string, change: { before: TickEntry | undefined; after: TickEntry; dueAt: number }): Promise<boolean>;
  remove(series: string): Promise<void>;
  /** Leases due series, at most `limit`, and returns in how many milliseconds the next one is due. */
  take(limit: number, leaseMs: number): Promise<{ readonly taken: readonly Lease[]; readonly nextInMs: number }>;
}

const takeScript = readScript(new URL('../../../../src/adapters/bullmq/scheduler/take.lua', import.meta.url));
const putScript = readScript(new URL('../../../../src/adapters/bullmq/scheduler/put.lua', import.meta.url));

/** Creates the store of ticks of a shard. */
export function createTickStore({ connection, keys: { ticks, tickEntries } }: Shard): TickStore {
  const keys = [ticks, tickEntries];
  return {
    async now() {
      const [seconds, microseconds] = await connection.time();
      return Math.floor(millisecondsOf(String(seconds), String(microseconds)));
    },
    async read(series) {
      const json = await connection.hget(tickEntries, series);
      return json === null ? undefined : entryOf(json);
    },
    async put(series, { before, after, dueAt }) {
      const known = before === undefined ? '' : textOf(before);
      return (await runScript(connection, putScript, { keys, args: [series, known, textOf(after), dueAt] })) === 1;
    },
    async remove(series) {
      await connection.multi().hdel(tickEntries, series).zrem(ticks, series).exec();
    },
    async take(limit, leaseMs) {
      const reply = await runScript(connection, takeScript, { keys, args: [leaseMs, limit] });
      // As take.lua says.
      const [now = '', next = '', ...found] = reply as readonly string[];
      const taken: Lease[] = [];
      for (let n = 0; n + 1 < found.length; n += 2) {
        const [series = '', json = ''] = found.slice(n, n + 2);
        taken.push({ series, entry: entryOf(json), now: Number(now) });
      }
      return { taken, nextInMs: next === '' ? Number.POSITIVE_INFINITY : Number(next) - Number(now) };
    },
  };
}

const entryOf = (json: string): TickEntry => JSON.parse(json) as TickEntry; // written by `put`

/** The same text for the same entry: it is compared with what is stored. */
const textOf = ({ cron, timezone, at, failures }: TickEntry): string =>
  JSON.stringify({ cron, timezone, at, failures });
