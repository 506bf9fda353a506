import type { Redis } from 'ioredis';
import type { Outbox, OutboxEntry } from '../../../../ports/store/port.ts';
import type { Keys } from '../../location/keys.ts';
import type { StreamEntry } from '../commit/run-commit.ts';

/** All processes are one consumer of the stream's group: an entry that is not done goes to any of them. */
const group = 'takers';
const consumer = 'any';
const atOnce = 100;
/** Duration of one blocking read, in milliseconds. */
const blockMs = 5000;

/**
 * Creates the outbox in a stream, with a separate connection that waits for entries once a consumer takes any. An
 * entry that was taken and is not done after `forgottenMs` is given again.
 */
export function createRedisOutbox(connection: Redis, keys: Keys, forgottenMs: number): Outbox & { close(): void } {
  let reader: Redis | undefined;
  const openReader = (): Redis => {
    if (reader === undefined) {
      reader = connection.duplicate({ connectionName: 'millrace-notices' });
      reader.on('error', () => undefined);
    }
    return reader;
  };
  const close = (): void => {
    reader?.disconnect();
    reader = undefined;
  };
  const taken = async (): Promise<readonly OutboxEntry[]> => {
    const again = await forgotten(connection, keys.outbox, forgottenMs);
    return again.length > 0 ? again : fresh(openReader(), keys.outbox);
  };
  return {
    async take(signal) {
      if (signal.aborted) return [];
      // Ends the blocking read, which fails then.
      signal.addEventListener('abort', close);
      try {
        return await taken().catch(async (error: unknown) => {
          await makeGroup(connection, keys.outbox, error);
          return taken();
        });
      } catch (error) {
        if (signal.aborted) return [];
        throw error;
      } finally {
        signal.removeEventListener('abort', close);
      }
    },
    async done(ids) {
      if (ids.length === 0) return;
      await connection
        .multi()
        .xack(keys.outbox, group, ...ids)
        .xdel(keys.outbox, ...ids)
        .exec();
    },
    close,
  };
}

/** Returns entries that were taken some time ago and are not done. */
async function forgotten(connection: Redis, stream: string, forgottenMs: number): Promise<readonly OutboxEntry[]> {
  const reply = await connection.xautoclaim(stream, group, consumer, forgottenMs, '0-0', 'COUNT', atOnce);
  // Where to continue, and the entries; before Redis 7 with gaps.
  const entries = reply[1] as readonly (StreamEntry | null)[];
  return entries.flatMap((entry) => (entry === null ? [] : noticeOf(entry)));
}

/** Returns entries that no consumer has taken so far. */
async function fresh(reader: Redis, stream: string): Promise<readonly OutboxEntry[]> {
  const wanted = ['COUNT', atOnce, 'BLOCK', blockMs, 'STREAMS', stream, '>'] as const;
  const read = (await reader.xreadgroup('GROUP', group, consumer, ...wanted)) as // the reply of XREADGROUP
    | readonly (readonly [stream: string, entries: readonly StreamEntry[]])[]
    | null;
  return (read ?? []).flatMap(([, entries]) => entries.flatMap(noticeOf));
}

/** Creates the group, which is missing until entries are taken for the first time; it begins with the oldest entry. */
async function makeGroup(connection: Redis, stream: string, error: unknown): Promise<void> {
  if (!(error instanceof Error) || !error.message.includes('NOGROUP')) throw error;
  await connection.xgroup('CREATE', stream, group, '0', 'MKSTREAM').catch((other: Error) => {
    if (!other.message.includes('BUSYGROUP')) throw other;
  });
}

function noticeOf([id, fields]: StreamEntry): readonly OutboxEntry[] {
  const [, run, , entry] = fields ?? [];
  return run === undefined || entry === undefined ? [] : [{ id, run, entry }];
}
