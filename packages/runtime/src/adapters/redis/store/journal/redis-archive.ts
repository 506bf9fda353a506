import type { ArchivedSegment, JournalEntry, MessageId, RunId } from '@millrace/core';
import type { Redis } from 'ioredis';
import { LruMap } from '../../../../blobs/read-through-cache.ts';
import type { OpenSegment, SegmentReader } from '../../../../journal/archive/segment.ts';
import { numberOf, openSegment, readArchivedBodies, readArchivedJournal } from '../../../../journal/archive/segment.ts';
import { headBytes, headOf } from '../../../../journal/message-head.ts';
import type { Blobs } from '../../../../ports/blobs.ts';
import { BodyMissing } from '../../../../ports/store/errors.ts';
import type { Archive, StoredBody } from '../../../../ports/store/port.ts';
import { portions, readFields } from '../../commands/read-fields.ts';
import { readScript, runScript } from '../../commands/script.ts';
import type { Keys } from '../../location/keys.ts';
import { listOf } from '../../location/keys.ts';
import { readAfter, readOldest } from './journal-stream.ts';

/** The Redis store's journals and bodies, whether they are still in Redis or among the blobs. */
export interface RedisArchive extends Archive {
  journal(run: RunId, after: string, limit: number): Promise<readonly JournalEntry[]>;
  bodies(run: RunId, ids: readonly MessageId[]): Promise<readonly StoredBody[]>;
  heads(run: RunId, ids: readonly MessageId[]): Promise<readonly (string | undefined)[]>;
}

const headsScript = readScript(
  new URL('../../../../../src/adapters/redis/store/journal/message-heads.lua', import.meta.url),
);
const idsScript = readScript(
  new URL('../../../../../src/adapters/redis/store/journal/message-ids.lua', import.meta.url),
);
const onceArchivedScript = readScript(
  new URL('../../../../../src/adapters/redis/store/journal/once-archived.lua', import.meta.url),
);
/** Approximate number of messages in one call of the script, which reads them completely, too. */
const idsAtOnce = 250;
/** Number of messages in one call of the script: it reads them completely, and Redis serves no other client meanwhile. */
const headsAtOnce = 100;

interface Places {
  readonly connection: Redis;
  readonly keys: Keys;
  /** Absent: nothing has been archived. */
  readonly blobs: Blobs | undefined;
}

/** A reader of an archived journal reads page after page of one segment: the latest segments are cached for a while. */
const lately = { forMs: 10_000, limit: 2 };

/** Reads the journal and bodies of a run from the window in Redis, and the older part from the blobs. */
export function createRedisArchive({ connection, keys, blobs }: Places): RedisArchive {
  const segmentsOf = async (run: RunId): Promise<readonly ArchivedSegment[]> => {
    const stored = await connection.lrange(listOf(keys.run(run), 'archive/journal'), 0, -1);
    return stored.map((json) => JSON.parse(json) as ArchivedSegment); // written by the commit of `journal.archived`
  };
  const recent = new LruMap<OpenSegment>(lately);
  const readerOf =
    (from: Blobs): SegmentReader =>
    (segment) =>
      recent.of(segment.digest, () => openSegment(from, segment));
  const archivedBodies = async (run: RunId, gone: readonly MessageId[]): Promise<ReadonlyMap<MessageId, StoredBody>> =>
    gone.length === 0 || blobs === undefined
      ? new Map()
      : readArchivedBodies(readerOf(blobs), await segmentsOf(run), gone);
  const headsOf = async (run: RunId, ids: readonly MessageId[]) => {
    const request = { keys: [keys.run(run).messages], args: [headBytes, ...ids] };
    return (await runScript(connection, headsScript, request)) as readonly (string | null)[]; // reply of the script
  };
  const onceArchived = (run: RunId, { digest }: ArchivedSegment, key: string, command: readonly string[]) =>
    runScript(connection, onceArchivedScript, {
      keys: [listOf(keys.run(run), 'archive/journal'), key],
      args: [digest, ...command],
    });
  return {
    async journal(run, after, limit) {
      const { entries, whole } = await readAfter(connection, keys.run(run).journal, { after, limit });
      if (whole || blobs === undefined) return entries();
      return (await readArchivedJournal(readerOf(blobs), await segmentsOf(run), { after, limit })) ?? entries();
    },
    async bodies(run, ids) {
      if (ids.length === 0) return [];
      const stored = await readFields(connection, keys.run(run).messages, ids);
      const gone = ids.filter((_, at) => stored[at] === null);
      const archived = await archivedBodies(run, gone);
      return ids.map((id, at) => {
        const json = stored[at];
        const body = typeof json === 'string' ? (JSON.parse(json) as StoredBody) : archived.get(id); // written by encodeCommit
        if (body === undefined) throw new BodyMissing(run, id);
        return body;
      });
    },
    async heads(run, ids) {
      const reads = [...portions(ids, headsAtOnce)].map((some) => headsOf(run, some));
      const stored = (await Promise.all(reads)).flat();
      const gone = ids.filter((_, at) => stored[at] === null);
      const archived = await archivedBodies(run, gone);
      return ids.map((id, at) => stored[at] ?? headOf(archived.get(id)));
    },
    oldest: (run, after) => readOldest(connection, keys.run(run).journal, after),
    async trim(run, segment) {
      await onceArchived(run, segment, keys.run(run).journal, ['XTRIM', 'MINID', `${segment.to + 1}-0`]);
    },
    async sweep(run, segment, referred) {
      const { messages: bodies } = keys.run(run);
      for (let cursor = '0', isFirst = true; isFirst || cursor !== '0'; isFirst = false) {
        const reply = await runScript(connection, idsScript, { keys: [bodies], args: [cursor, idsAtOnce] });
        const [next, ids] = reply as readonly [string, readonly MessageId[]]; // reply of the script
        const gone = ids.filter((id) => numberOf(id) <= segment.messages && !referred.has(id));
        if (gone.length > 0) await onceArchived(run, segment, bodies, ['HDEL', ...gone]);
        cursor = next;
      }
    },
  };
}
